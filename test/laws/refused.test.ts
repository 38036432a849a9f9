import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import type { Loss } from '../../src/model/loss.ts'
import { emptyRequest } from '../../src/model/empty-request.ts'

const FULL = import.meta.glob('../../fixtures/full/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** What a request cannot do without, and what the proxy itself decides. */
const KEPT = [
  'model',
  'messages',
  'contents',
  'input',
  'max_tokens',
  'stream',
  'system',
  'systemInstruction',
  'instructions',
]

const request = {
  ...emptyRequest('m'),
  turns: [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'q' }] }],
  sampling: { topP: 0.123, temperature: 0.456 },
}

describe.each(adapters.map((adapter) => [adapter.dialect, adapter] as const))(
  '%s',
  (dialect, adapter) => {
    // Each dialect knows its own spelling, and all know the canonical one.
    const own = dialect === 'generate-content' ? [] : ['top_p']
    it.each(['topP', 'sampling.topP', ...own])(
      'sends a model no parameter that it refuses, named as %s',
      (name) => {
        // Each dialect knows its own spelling.
        if (name === 'top_p' && adapter.dialect === 'generate-content') return
        const losses: Loss[] = []
        const outgoing = adapter.upstream.writeRequest(request, {
          target: { model: 'm', defaultMaxOutputTokens: 9, facts: { drop: [name] } },
          lose: (code, path) => void losses.push({ code, path }),
        })
        const text = JSON.stringify(outgoing.body)
        expect(text).not.toContain('0.123')
        expect(text).toContain('0.456')
        expect(losses).toContainEqual({ code: 'dropped', path: 'sampling.topP' })
        expect(adapter.upstream.droppable).toContain(name)
      },
    )

    it('lets nothing be left out that a request cannot do without', () => {
      const needed = [
        'model',
        'messages',
        'contents',
        'input',
        'max_tokens',
        'generationConfig',
        '',
      ]
      expect(adapter.upstream.droppable.filter((name) => needed.includes(name))).toEqual([])
    })

    it('has a name for every other member of the fullest request', () => {
      const full = FULL[`../../fixtures/full/${dialect}.json`] ?? '{}'
      const named = new Set(adapter.upstream.droppable)
      const { generationConfig = {}, ...top } = JSON.parse(full)
      const members = Object.keys({ ...top, ...generationConfig })
      expect(members.filter((name) => !named.has(name) && !KEPT.includes(name))).toEqual([])
    })
  },
)
