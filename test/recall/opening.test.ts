import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { openingWords } from '../../src/exchange/request/opening-words.ts'
import { Received } from '../../src/exchange/received.ts'
import { ScannedBody } from '../../src/json/scanned-body.ts'
import { scanStructure } from '../../src/json/structure.ts'
import { createRecall } from '../../src/extras/recall/recall.ts'
import { kits } from '../dialects/index.ts'

const LIMITS = { depth: 100, nodes: 100_000 }
const STEPS = Array.from({ length: 12 }, (_, index) => ({
  id: `call_${index}`,
  said: `Шаг ${index}`,
  tool: 'read',
  input: { path: `/a/${index}` },
  result: `файл ${index} `.repeat(20),
}))
const TOOLS = [{ name: 'read', description: 'Reads.', schema: { type: 'object' } }]

describe.each(adapters.map((adapter) => [adapter.dialect, adapter] as const))(
  'the opening words of a session of %s',
  (dialect, caller) => {
    const known = DIALECTS.find((each) => each === dialect) ?? 'messages'
    const turns = caller.same.beginning?.turns ?? ''
    const rules = { limits: LIMITS, verbatim: caller.caller.verbatim, turns }
    const textAt = (steps: number) =>
      JSON.stringify({
        ...kits[known].bench.history({
          steps: STEPS.slice(0, steps),
          tools: TOOLS,
          system: 'You are careful. '.repeat(50),
          task: 'Сумма неверна.',
        }),
      })
    const structureOf = (text: string) => {
      const structure = scanStructure(text, LIMITS, rules.verbatim, turns)
      if (!structure) throw new Error('no JSON')
      return structure
    }
    const wordsOf = (text: string, body: Parameters<typeof openingWords>[1]) => {
      return openingWords({ received: new Received(new TextEncoder().encode(text)), caller }, body)
    }

    it('are the same where most of the body is known', () => {
      const recall = createRecall({ bytes: 10_000_000, leastBytes: 256 })
      for (let steps = 1; steps <= STEPS.length; steps += 1) {
        const text = textAt(steps)
        const bytes = new TextEncoder().encode(text)
        const request = recall.request('one', dialect, rules, bytes.length)
        const grown = request?.scanned(bytes)
        const words = wordsOf(text, new ScannedBody(text, structureOf(text)))
        expect(words).toBeDefined()
        expect(grown !== undefined || steps < 4).toBe(true)
        if (grown) expect(wordsOf('', grown)).toBe(words)
        else request?.learned(bytes, text, structureOf(text))
      }
    })
  },
)
