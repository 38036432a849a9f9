import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import type { Loss } from '../../src/model/loss.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits } from '../dialects/index.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'

const FULL = import.meta.glob('../../fixtures/full/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})

const request = {
  ...emptyRequest('m'),
  turns: [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'q' }] }],
  sampling: { topP: 0.123, temperature: 0.456 },
}

describe.each(DIALECTS)('%s', (dialect) => {
  const adapter = adapterOf(dialect)
  const { namesOfTopP, indispensable } = kits[dialect].ask
  it.each(['topP', 'sampling.topP', ...namesOfTopP])(
    'sends a model no parameter that it refuses, named as %s',
    (name) => {
      const losses: Loss[] = []
      const outgoing = adapter.upstream.writeRequest(request, {
        target: { model: 'm', defaultMaxOutputTokens: 9, facts: { drop: [name] } },
        lose: (code, path) => void losses.push({ code, path }),
      })
      const text = JSON.stringify(outgoing.body)
      expect(text).not.toContain('0.123')
      expect(text).toContain('0.456')
      expect(losses).toContainEqual({ code: 'dropped', path: 'sampling.topP' })
      expect(adapter.upstream.droppable()).toContain(name)
    },
  )

  it('lets nothing be left out that a request cannot do without', () => {
    const { ask } = kits[dialect]
    const asked = [ask.history, ...Object.keys(ask.needed)]
    const needed = [...asked, 'generationConfig', '']
    expect(adapter.upstream.droppable().filter((name) => needed.includes(name))).toEqual([])
  })

  it('has a name for every other member of the fullest request', () => {
    const full = FULL[`../../fixtures/full/${dialect}.json`] ?? '{}'
    const named = new Set(adapter.upstream.droppable())
    const { generationConfig = {}, ...top } = JSON.parse(full)
    const members = Object.keys({ ...top, ...generationConfig })
    expect(members.filter((name) => !named.has(name) && !indispensable.includes(name))).toEqual([])
  })
})
