import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { VARIABLES } from '../../src/config/variables.ts'

/** `.dev.vars` of a developer reaches the Worker that the tests start, unless a binding has its name. */
it('empties each variable of the proxy for the tests on workerd', () => {
  const config = readFileSync('vitest.config.ts', 'utf8')
  expect(VARIABLES.filter((name) => !config.includes(`${name}: ''`))).toEqual([])
})
