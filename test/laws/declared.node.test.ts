import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { makeSamples, othersThan } from '../../scripts/words/census.ts'
import { parse, stringify, type Json } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'
import { undeclaredIn } from './declared.ts'

/** What services take besides: parts that only the model's own messages have, and sound, in any message. */
const TAKEN: Readonly<Partial<Record<Dialect, RegExp>>> = {
  responses: /^\.input\[\]\.content\[\] is \{"type":"(?:output_text|refusal|input_audio)"/,
}

/** Nothing for a word that is refused. */
function sent(from: Dialect, to: Dialect, body: Json): Json[] {
  try {
    return [parse(translator({ from, to, model: 'm' }).request(stringify(body)).text)]
  } catch (error) {
    if (error instanceof ProblemError) return []
    throw error
  }
}

describe.each(DIALECTS)('a request to a service of %s', (to) => {
  const undeclared = undeclaredIn(to)
  it.each(othersThan(to))('is of the types of its client, whatever word of %s it has', (from) => {
    const samples = makeSamples(from, 'request')
    const bodies = samples.flatMap(({ body }) => sent(from, to, body))
    expect(bodies.length).toBeGreaterThan(100)
    const faults = new Set(bodies.flatMap(undeclared))
    expect([...faults].filter((fault) => !TAKEN[to]?.test(fault))).toEqual([])
  })
})

it('a member that the types demand is missed, and one that they do not know', () => {
  const undeclared = undeclaredIn('responses')
  const content = [{ type: 'input_image', image_url: 'https://a.example/x.png' }]
  const input = [{ type: 'message', role: 'user', content }]
  expect(undeclared({ model: 'm', input, speed: 1 })).toEqual([
    '.input[].content[].detail is missing',
    '.speed is unknown',
  ])
})
