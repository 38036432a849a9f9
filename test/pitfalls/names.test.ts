import { describe, expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import type { Kit } from '../dialects/kit.ts'
import { PAIRS, sent } from './translate.ts'

/** As long as those that callers bring from tool servers, and alike in the part that others have room for. */
const NAMES = ['one', 'two'].map((end) => `server_${'x'.repeat(60)}_${end}`)

const schema = { type: 'object', properties: {} }
const asking = ({ ask }: Kit) => ({
  ...ask.text('q'),
  ...ask.offer(NAMES.map((name) => ({ name, schema }))),
})

/** The names of tools in a request, in their order. */
const namesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/"name":"(server_[^"]*)"/g)].map(([, name = '']) => name)),
]

describe.each(PAIRS)('%s to %s', (from, to) => {
  it('tells tools with long names apart, and calls them by the names that the caller gave', () => {
    const asked = { ...kits[from].ask.needed, ...asking(kits[from]) }
    const names = namesIn(sent([from, to], asked).text)
    expect(names).toHaveLength(2)
    for (const name of names) expect(name).toMatch(/^[A-Za-z_][\w-]{0,63}$/)
    for (const [index, name] of names.entries()) {
      const between = translator({ from, to })
      between.request(JSON.stringify(asked))
      expect(JSON.stringify(between.reply(kits[to].say.call(name, '{}')))).toContain(NAMES[index])
    }
  })
})
