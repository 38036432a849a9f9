import { expect, it } from 'vitest'
import { normalise } from '../../adapters/generate-content/wire.ts'
import * as generateContent from '../../adapters/generate-content/wire.ts'
import * as messages from '../../adapters/messages/wire.ts'
import * as responses from '../../adapters/responses/wire.ts'
import { isObject, parse, type Json } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { anyRequest } from '../laws/arbitrary-requests.ts'
import { writeRequest } from '../laws/exchange.ts'
import { always, forEachAdapter } from '../laws/law.ts'
import { brokenRequests, singleFaults } from './broken.ts'
import * as zodGenerateContent from './zod-generate-content.ts'
import * as zodMessages from './zod-messages.ts'
import * as zodResponses from './zod-responses.ts'

/** Says what a dialect asks of a request; throws for what it refuses. */
type Check = (body: Json, counting: boolean) => unknown

function checkGenerateContent(body: Json, counting: boolean): unknown {
  if (!counting) return generateContent.checkCreate(body)
  const isWrapped = isObject(body) && body['generateContentRequest'] !== undefined
  return isWrapped ? generateContent.checkWrappedCount(body) : generateContent.checkCount(body)
}

/** The same told twice: by the shapes of the product, and by the schemas of a library. */
const CHECKS = new Map<string, [shapes: Check, schemas: Check]>([
  [
    'messages',
    [
      (body, counting) => messages.validate(body, counting ? 'count-tokens' : 'create'),
      zodMessages.checkRequest,
    ],
  ],
  ['responses', [responses.checkRequest, zodResponses.checkRequest]],
  ['generate-content', [checkGenerateContent, zodGenerateContent.checkRequest]],
])

/** What is at fault, if anything is. */
function faultOf(check: Check, body: Json, counting: boolean): string {
  try {
    check(body, counting)
    return 'passes'
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return `refused at ${error.problem.param}`
  }
}

forEachAdapter((adapter) => {
  const [shapes, schemas] = CHECKS.get(adapter.dialect) ?? []
  const legal = anyRequest.map((request): Json => writeRequest(adapter, request).body)
  /** As it comes to be checked: one dialect brings all spellings of a member to one before. */
  const read = (text: string): Json => {
    const body = parse(text, adapter.caller.verbatim)
    return adapter.dialect === 'generate-content' ? normalise(body) : body
  }

  function compare(text: string): string[] {
    if (!shapes || !schemas) throw new Error(`nothing checks ${adapter.dialect}`)
    return [false, true].map((counting) => {
      const body = read(text)
      const fault = faultOf(shapes, body, counting)
      if (fault !== faultOf(schemas, body, counting))
        throw new Error(`${fault}, not ${faultOf(schemas, body, counting)}: ${text}`)
      return fault
    })
  }

  it('refuses what the schemas refuse, for the same member, whatever is wrong alone', () => {
    const faults = [...singleFaults(adapter.dialect)].flatMap(compare)
    expect(new Set(faults).size).toBeGreaterThan(50)
  })

  it('refuses what the schemas refuse, for the same member, at random', () => {
    const faults = new Set<string>()
    let passed = 0
    always(
      brokenRequests(adapter.dialect, legal),
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
