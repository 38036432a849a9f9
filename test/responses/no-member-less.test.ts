import type { Response, ResponseUsage } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { responses } from '../../adapters/responses/index.ts'
import { unfold } from '../../src/model/events.ts'
import type { Json } from '../../src/json/json.ts'
import type { FinishReason } from '../../src/model/request.ts'
import { at, ids, list, read, speak } from './exchange.ts'

/**
 * What stood in all of 800 response objects that the service itself sent in 2026, JSON and snapshots of
 * streams (three members in all but one); `billing` and `moderation` came and went. Readers of the open standard (openresponses.org, `ResponseResource`) refuse an object that lacks one of them.
 */
const RECORDED = `
  id object created_at status background completed_at error frequency_penalty
  incomplete_details instructions max_output_tokens max_tool_calls model output
  parallel_tool_calls presence_penalty previous_response_id prompt_cache_key
  prompt_cache_retention reasoning safety_identifier service_tier store
  temperature text tool_choice tools top_logprobs top_p truncation usage user
  metadata
`
  .trim()
  .split(/\s+/)

type Demanded<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T]

/** What the official client's types demand; it adds `output_text` itself. A new one does not compile. */
const TYPED = {
  id: true,
  access_programs: true,
  created_at: true,
  error: true,
  incomplete_details: true,
  instructions: true,
  metadata: true,
  model: true,
  object: true,
  output: true,
  parallel_tool_calls: true,
  temperature: true,
  tool_choice: true,
  tools: true,
  top_p: true,
} satisfies Record<Exclude<Demanded<Response>, 'output_text'>, true>

const COUNTED = {
  input_tokens: true,
  input_tokens_details: true,
  output_tokens: true,
  output_tokens_details: true,
  total_tokens: true,
} satisfies Record<Demanded<ResponseUsage>, true>
const INPUT_DETAILS = {
  cached_tokens: true,
  cache_write_tokens: true,
} satisfies Record<Demanded<ResponseUsage.InputTokensDetails>, true>

/** The same of tools, by their types. */
const TOOLS: Record<string, string[]> = {
  function: ['type', 'name', 'description', 'parameters', 'strict'],
  custom: ['type', 'name', 'description', 'format'],
  web_search: ['type', 'search_context_size', 'user_location'],
  file_search: ['type', 'filters', 'max_num_results', 'ranking_options', 'vector_store_ids'],
  namespace: ['type', 'name', 'description', 'tools'],
}
const TOOL_LIST = [
  { type: 'function', name: 'f' },
  { type: 'custom', name: 'c' },
  { type: 'web_search' },
  { type: 'file_search', vector_store_ids: ['vs_1'] },
  { type: 'namespace', name: 'n', description: '', tools: [{ type: 'function', name: 'g' }] },
]
const SCHEMA = { type: 'object', properties: {}, additionalProperties: false }
const FORMAT = { type: 'json_schema', name: 'a', schema: SCHEMA }

const REQUESTS = {
  bare: { model: 'm', input: 'x' },
  full: {
    model: 'm',
    input: 'x',
    tools: TOOL_LIST,
    service_tier: 'flex',
    text: { format: FORMAT },
    prompt_cache_retention: '24h',
    reasoning: { effort: 'low' },
    metadata: { a: 'b' },
  },
}

const missing = (value: Json | undefined, names: readonly string[]): string[] =>
  names.filter((name) => at(value, name) === undefined)

function lacking(response: Json | undefined): string[] {
  const usage = at(response, 'usage')
  const format = at(response, 'text', 'format')
  return [
    ...missing(response, [...RECORDED, ...Object.keys(TYPED)]),
    ...missing(at(response, 'text'), ['format', 'verbosity']),
    ...missing(at(response, 'reasoning'), ['effort', 'summary']),
    ...(at(format, 'type') === 'json_schema'
      ? missing(format, ['type', 'name', 'description', 'schema', 'strict'])
      : []),
    ...list(at(response, 'tools')).flatMap((tool) => missing(tool, TOOLS[`${tool['type']}`] ?? [])),
    ...(usage === null ? [] : missing(usage, Object.keys(COUNTED))),
    ...(usage === null
      ? []
      : missing(at(usage, 'input_tokens_details'), Object.keys(INPUT_DETAILS))),
    ...(usage === null ? [] : missing(at(usage, 'output_tokens_details'), ['reasoning_tokens'])),
  ]
}

describe('a written response has no member less than the service’s own', () => {
  const endings: FinishReason[] = ['stop', 'length', 'refusal']
  it.each(Object.entries(REQUESTS))('as JSON and in every snapshot: %s', (_, body) => {
    for (const finish of endings) {
      const reply = { id: '', model: '', blocks: [{ kind: 'text' as const, text: 'a' }], finish }
      const spoken = speak(unfold(reply), read(body))
      expect(lacking(spoken.body)).toEqual([])
      const snapshots = spoken.events.flatMap((event) => event['response'] ?? [])
      expect(snapshots).toHaveLength(3)
      expect(snapshots.flatMap(lacking)).toEqual([])
    }
  })

  it('also where the reply failed', () => {
    const problem = { kind: 'internal' as const, message: 'no' }
    const { events } = speak([{ type: 'error', problem }], read(REQUESTS.full))
    expect(events.flatMap((event) => event['response'] ?? []).flatMap(lacking)).toEqual([])
  })

  it('and says what the caller asked for where that is known', () => {
    const { body } = speak([{ type: 'finish', reason: 'stop' }], read(REQUESTS.full))
    expect(body).toMatchObject({ service_tier: 'flex', prompt_cache_retention: '24h' })
    const plain = speak([{ type: 'finish', reason: 'stop' }], read(REQUESTS.bare))
    const zeros = { presence_penalty: 0, frequency_penalty: 0, service_tier: 'default' }
    expect(plain.body).toMatchObject(zeros)
  })

  // `ServiceTier` of openai 7.57.0 is a closed list.
  it.each([
    ['standard', 'default'],
    ['on_demand', 'default'],
    ['ultrafast', 'ultrafast'],
    ['auto', 'auto'],
  ])('names a tier that a service of this dialect has: %s', (asked, told) => {
    const { events } = speak(
      [{ type: 'finish', reason: 'stop' }],
      read({ ...REQUESTS.bare, service_tier: asked }),
    )
    const tiers = events.flatMap((event) => at(event['response'], 'service_tier') ?? [])
    expect(tiers).toEqual([told, told, told])
  })

  it('also when it is asked for again', () => {
    const { memory } = responses.caller
    const writer = responses.caller.writer({
      request: read(REQUESTS.full),
      now: 1_700_000_000,
      lose: () => undefined,
      newId: ids(),
    })
    const recorder = memory?.recorder({ fresh: { items: [] }, writer, newId: ids() })
    for (const event of unfold({ id: '', model: '', blocks: [], finish: 'stop' }))
      recorder?.push(writer.push(event))
    const kept = memory?.read(recorder?.record().text ?? '') ?? {}
    const plain = { get: () => null }
    const whole = memory?.answer('read', [kept], plain)
    expect(lacking(whole && 'body' in whole ? whole.body : undefined)).toEqual([])
    const query = { get: (name: string) => (name === 'stream' ? 'true' : null) }
    const again = memory?.answer('read', [kept], query)
    const frames = again && 'frames' in again ? again.frames : []
    const told = frames.flatMap(({ data }) => at(JSON.parse(data), 'response') ?? [])
    expect(told).toHaveLength(3)
    expect(told.flatMap(lacking)).toEqual([])
  })
})
