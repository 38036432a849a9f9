import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tableOf, WAYS, waysIn } from './table.ts'

const GROWTH = 1.05

it('an exchange goes at most a twentieth further than docs/map.md says', () => {
  const said = waysIn(readFileSync('docs/map.md', 'utf8'))
  const printed = execFileSync(process.execPath, ['test/rooms/main.ts'], { encoding: 'utf8' })
  const found = waysIn(printed)
  expect(tableOf(found)).toBe(printed.trim())
  for (const [index, pair] of WAYS.entries())
    for (const figure of ['files', 'functions', 'calls', 'callsPerDelta'] as const) {
      const { [figure]: now = 0 } = found[index] ?? {}
      const { [figure]: then = 0 } = said[index] ?? {}
      expect(now, `${figure} of ${pair.join(' over ')}`).toBeGreaterThan(0)
      expect(now, `${figure} of ${pair.join(' over ')}`).toBeLessThanOrEqual(then * GROWTH)
    }
})
