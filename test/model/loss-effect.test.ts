import { expect, it } from 'vitest'
import type { LossCode } from '../../src/model/loss.ts'
import { effectOf } from '../../src/model/loss-effect.ts'

const CASES: [LossCode, string, string][] = [
  ['dropped', 'cache', 'costs money'],
  ['dropped', 'turns.3.blocks.0.cache', 'costs money'],
  ['approximated', 'cache.ttl', 'costs money'],
  ['defaulted', 'tier', 'costs money'],
  ['dropped', 'metadata', 'harmless'],
  ['dropped', 'tools.f.namespace', 'harmless'],
  ['defaulted', 'limits.maxOutputTokens', 'harmless'],
  ['reordered', 'turns.2.blocks', 'harmless'],
  ['dropped', 'reply.usage.reasoning', 'harmless'],
  ['dropped', 'sampling.topK', 'changes the answer'],
  ['approximated', 'limits.maxOutputTokens', 'changes the answer'],
  ['dropped', 'turns.1.blocks.0.seal', 'changes the answer'],
  ['dropped', 'tools.web-search', 'changes the answer'],
  ['dropped', 'reply.media', 'changes the answer'],
]

it.each(CASES)('%s %s: %s', (code, path, effect) => {
  expect(effectOf({ code, path })).toBe(effect)
})
