import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { FIELD_TABLES } from '../../scripts/field-tables.ts'
import { makeSamples, type Side } from '../../scripts/words/census.ts'
import { earlierRequest } from '../../scripts/words/wires.ts'
import { isObject, parse, stringify, type Json, type JsonObject } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'
import { kits, othersThan } from '../dialects/index.ts'

/** Go and Kotlin write every member that a program has not set as null, and so do the dumps of pydantic. */
interface Case {
  readonly name: string
  readonly unset: Json
  readonly without: Json
}

/** A body in which the one member that the other one lacks is null; undefined where they differ otherwise. */
function nulled(body: Json | undefined, without: Json | undefined): Json | undefined {
  if (Array.isArray(body) && Array.isArray(without)) {
    if (body.length !== without.length) return undefined
    const at = body.findIndex((each, index) => !isSame(each, without[index]))
    const inner = nulled(body[at], without[at])
    return inner === undefined ? undefined : body.with(at, inner)
  }
  if (!isObject(body) || !isObject(without)) return undefined
  const gone = Object.keys(body).filter((key) => !Object.hasOwn(without, key))
  const other = Object.keys(body).filter((key) => !isSame(body[key], without[key]))
  const [key] = gone.length > 0 ? gone : other
  if (key === undefined || other.length !== 1) return undefined
  if (gone.length > 0) return { [key]: null, ...without }
  const inner = nulled(body[key], without[key])
  return inner === undefined ? undefined : { ...body, [key]: inner }
}

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  stringify(one ?? null) === stringify(other ?? null)

/** Every optional member that an official client knows, wherever it stands. */
const ofClients = (dialect: Dialect, side: Side): Case[] =>
  makeSamples(dialect, side).flatMap(({ kind, word, where, body, without: [less] }) => {
    const unset = kind === 'member' && less !== undefined ? nulled(body, less) : undefined
    return unset === undefined || less === undefined
      ? []
      : [{ name: `${where}.${word}`, unset, without: less }]
  })

/** Every member that has a row in a table: those of servers and older clients too. */
function ofTables(dialect: Dialect): Case[] {
  const { http, ask } = kits[dialect]
  const without = http.body('m', false, { ...ask.needed, ...ask.text('hi') })
  return Object.entries(FIELD_TABLES[dialect]).flatMap(([prefix, fields]) =>
    Object.keys(fields)
      .filter((key) => prefix !== '' || !Object.hasOwn(without, key))
      .map((key) => {
        const within = prefix.replace(/\.$/, '')
        const unset: JsonObject =
          within === '' ? { ...without, [key]: null } : { ...without, [within]: { [key]: null } }
        return { name: `${prefix}${key}`, unset, without }
      }),
  )
}

type Say = (text: string) => { losses: readonly { code: string; path: string }[] }

function lossesOf(say: Say, body: Json): string[] | undefined {
  try {
    return say(stringify(body)).losses.map(({ code, path }) => `${code} ${path}`)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** What cannot be null, so that it is as wrong as a member can be: it is told to be lost with what holds it. */
const REQUIRED = [
  // A policy that allows nothing is no policy.
  'ContainerNetworkPolicyAllowlist.allowed_domains',
]

/** What is lost with a null, each with the name of its member. */
const lostIn = (cases: readonly Case[], say: Say): string[] =>
  cases.flatMap(({ name, unset, without }) => {
    const plain = lossesOf(say, without)
    const losses = plain && lossesOf(say, unset)
    const more = losses?.filter((loss) => !plain?.includes(loss)) ?? []
    return more.length > 0 && !REQUIRED.includes(name) ? [`${name}: ${more.join(', ')}`] : []
  })

/** Members whose value is data of the program itself, in which a null is a value. */
const DATA =
  /^(?:input|arguments|args|response|schema|parameters\w*|\w*[sS]chema|metadata|labels|properties|environment)$/

/** With a member in each object that nobody knows, and that is null. */
function withUnset(value: Json): Json {
  if (Array.isArray(value)) return value.map(withUnset)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([key, inner]): [string, Json] => [
    key,
    DATA.test(key) && isObject(inner) ? inner : withUnset(inner),
  ])
  return { x_unset: null, ...Object.fromEntries(members) }
}

const FULLEST = import.meta.glob('../../fixtures/full/*.json', {
  query: '?raw',
  eager: true,
  import: 'default',
})

/** What the service has run itself, as it stands in a history of `messages`. */
const RUN = {
  model: 'm',
  max_tokens: 9,
  messages: [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'a' } },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
        {
          type: 'server_tool_use',
          id: 's2',
          name: 'bash_code_execution',
          input: { command: 'ls' },
        },
        {
          type: 'bash_code_execution_tool_result',
          tool_use_id: 's2',
          content: {
            type: 'bash_code_execution_result',
            stdout: 'a',
            stderr: '',
            return_code: 0,
            content: [],
          },
        },
      ],
    },
    { role: 'user', content: 'go' },
  ],
}

/** Of one type for all blocks, as a program in Go may have it, all members are written. */
const WIDE = { input: null, name: null, text: null, error_code: null, is_error: null }
const FOUND = {
  ...RUN,
  messages: [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'a' } },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: [], ...WIDE },
        {
          type: 'server_tool_use',
          id: 's2',
          name: 'tool_search_tool_bm25',
          input: { query: 'a' },
        },
        {
          type: 'tool_search_tool_result',
          tool_use_id: 's2',
          content: {
            type: 'tool_search_tool_search_result',
            tool_references: [{ type: 'tool_reference', tool_name: 'x' }],
            ...WIDE,
          },
          ...WIDE,
        },
      ],
    },
    { role: 'user', content: 'go' },
  ],
}

const bare = (value: Json): Json =>
  JSON.parse(JSON.stringify(value), (_, inner: unknown) => (inner === null ? undefined : inner))

it.each(othersThan('messages'))('a null in what a service has run is no loss, over %s', (to) => {
  const speaker = translator({ from: 'messages', to, model: 'm' })
  const one = { name: 'x_unset', unset: withUnset(RUN), without: RUN }
  const wide = { name: 'wide', unset: FOUND, without: bare(FOUND) }
  expect(lostIn([one, wide], speaker.request)).toEqual([])
})

describe.each(DIALECTS)('a member of %s that is null says nothing', (dialect) => {
  const asked = [...ofClients(dialect, 'request'), ...ofTables(dialect)]
  it.each(othersThan(dialect))('and nothing is lost with it, over %s', (to) => {
    const speaker = translator({ from: dialect, to, model: 'm' })
    expect(asked.length).toBeGreaterThan(100)
    expect(lostIn(asked, speaker.request)).toEqual([])
  })

  it.each(othersThan(dialect))('nor with one that nobody knows, over %s', (to) => {
    const without = parse(FULLEST[`../../fixtures/full/${dialect}.json`] ?? 'null')
    const speaker = translator({ from: dialect, to, model: 'm' })
    expect(lossesOf(speaker.request, without)).toBeDefined()
    const unset = withUnset(without)
    expect(lostIn([{ name: 'x_unset', unset, without }], speaker.request)).toEqual([])
  })

  const told = ofClients(dialect, 'reply')
  it.each(othersThan(dialect))('also in a reply, to a caller of %s', (from) => {
    const speaker = translator({ from, to: dialect, model: 'm' })
    speaker.request(earlierRequest(from))
    expect(told.length).toBeGreaterThan(20)
    expect(lostIn(told, speaker.reply)).toEqual([])
  })
})
