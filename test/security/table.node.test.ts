import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const rows = readFileSync('SECURITY.md', 'utf8').matchAll(/^\| (T\d+) .*\| (.+) \|$/gm)
const table = new Map([...rows].map(([, threat = '', files = '']) => [threat, files]))

it('every threat has tests, and they are there', () => {
  expect([...table.keys()]).toEqual([...table.keys()].map((_, index) => `T${index + 1}`))
  expect(table.size).toBeGreaterThan(30)
  for (const files of table.values())
    for (const [, file = ''] of files.matchAll(/`([^`]+)`/g))
      expect(existsSync(file), file).toBe(true)
})
