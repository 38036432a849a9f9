import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { parse, type Json } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { officials } from '../dialects/official/index.ts'
import type { Check } from '../dialects/official/official.ts'
import { anyRequest } from '../laws/arbitrary-requests.ts'
import { writeRequest } from '../laws/exchange.ts'
import { always } from '../laws/law.ts'
import { brokenRequests, singleFaults } from './broken.ts'

/** What is at fault, if anything is. */
function findFault(check: Check, body: Json, counting: boolean): string {
  try {
    check(body, counting)
    return 'passes'
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return `refused at ${error.problem.param}`
  }
}

describe.each(DIALECTS)('%s', (dialect) => {
  const { shapes, schemas, prepare } = officials[dialect].wire
  const adapter = adapterOf(dialect)
  const legal = anyRequest.map((request): Json => writeRequest(adapter, request).body)
  const read = (text: string): Json => prepare(parse(text, adapter.caller.verbatim))

  function compare(text: string): string[] {
    const body = read(text)
    return [false, true].map((counting) => {
      const fault = findFault(shapes, body, counting)
      if (fault !== findFault(schemas, body, counting))
        throw new Error(`${fault}, not ${findFault(schemas, body, counting)}: ${text}`)
      return fault
    })
  }

  it('refuses what the schemas refuse, for the same member, whatever is wrong alone', () => {
    const faults = [...singleFaults(dialect)].flatMap(compare)
    expect(new Set(faults).size).toBeGreaterThan(50)
  })

  it('refuses what the schemas refuse, for the same member, at random', () => {
    const faults = new Set<string>()
    let passed = 0
    always(
      brokenRequests(dialect, legal),
      (text) => {
        const wrapped = text.length % 2 ? `{"generateContentRequest":${text}}` : text
        for (const fault of [...compare(text), ...compare(wrapped)]) {
          faults.add(fault)
          if (fault === 'passes') passed += 1
        }
      },
      2000,
    )
    // Neither passes nearly all, nor stops at the same few members.
    expect(passed).toBeGreaterThan(1000)
    expect(faults.size).toBeGreaterThan(100)
  })
})
