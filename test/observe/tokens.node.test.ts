import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import { TokenCount, type Said } from './tokens.ts'

const written = adapters.flatMap(({ dialect }): Said[] => {
  const folder = `fixtures/${dialect}/reply`
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.map((name) => ({
    name: `${dialect}/${name}`,
    dialect,
    text: readFileSync(`${folder}/${name}`, 'utf8'),
    stream: name.endsWith('.sse'),
  }))
})

describe('the count of tokens', () => {
  it('is that of the upstream, to the token, in every dialect, and so is the sum', async () => {
    expect(written.length).toBeGreaterThan(3)
    const count = new TokenCount()
    for (const said of written)
      for (const caller of adapters)
        expect([said.name, caller.dialect, await count.ask(said, caller)]).toEqual([
          said.name,
          caller.dialect,
          undefined,
        ])
    expect(count.counted).toEqual(count.told)
    expect(count.counted[0]).toBeGreaterThan(0)
  })
})
