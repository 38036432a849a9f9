import { describe, expect, test } from 'vitest'
import { responses } from '../../adapters/responses/index.ts'
import type { Json, JsonObject } from '../../src/json/json.ts'
import type { Event } from '../../src/model/events.ts'
import type { Request } from '../../src/model/request.ts'
import { replyContext, requestContext, withFate } from './probe.ts'
import {
  INCOMPLETE_REASONS,
  RESPONSES_ANNOTATIONS,
  RESPONSES_EFFORTS,
  RESPONSES_EVENTS,
  RESPONSES_ITEMS,
  RESPONSES_MEMBERS,
  RESPONSES_PARTS,
  RESPONSES_STATUSES,
  RESPONSES_TOOLS,
} from './responses.ts'

const read = (body: object): Request =>
  responses.caller.readRequest(
    { model: 'm', input: 'Hi', ...body } as Json,
    requestContext({ operation: 'create' }),
  )

const ITEMS: Record<string, object> = {
  message: { role: 'user', content: 'a' },
  function_call: { call_id: 'c', name: 'f', arguments: '{}' },
  function_call_output: { call_id: 'c', output: 'o' },
  custom_tool_call: { call_id: 'c', name: 'f', input: 'i' },
  custom_tool_call_output: { call_id: 'c', output: 'o' },
  reasoning: { id: 'rs_1', summary: [{ type: 'summary_text', text: 't' }], encrypted_content: 'e' },
  additional_tools: { role: 'developer', tools: [{ type: 'custom', name: 'f' }] },
  computer_call: { call_id: 'c', actions: [{ type: 'screenshot' }] },
  computer_call_output: {
    call_id: 'c',
    output: { type: 'computer_screenshot', image_url: 'https://a.example/a.png' },
  },
  configuration_update: { reasoning: { effort: 'high' } },
  web_search_call: { id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
  image_generation_call: { id: 'ig_1', result: 'AAAA' },
  shell_call: { call_id: 'c', action: { commands: ['ls'] } },
  shell_call_output: { call_id: 'c', output: [] },
  local_shell_call: { call_id: 'c', action: { type: 'exec', command: ['ls'], env: {} } },
  local_shell_call_output: { id: 'c', output: 'o' },
  apply_patch_call: { call_id: 'c', operation: { type: 'delete_file', path: 'a' } },
  apply_patch_call_output: { call_id: 'c', status: 'completed' },
  code_interpreter_call: {
    id: 'ci_1',
    status: 'completed',
    code: '1',
    container_id: 'c',
    outputs: [{ type: 'logs', logs: '1' }],
  },
}
const PARTS: Record<string, [string, object]> = {
  input_text: ['user', { text: 'a' }],
  input_image: ['user', { image_url: 'https://a.example/b.png', detail: 'auto' }],
  input_file: ['user', { file_url: 'https://a.example/b.pdf' }],
  output_text: ['assistant', { text: 'a', annotations: [] }],
  refusal: ['assistant', { refusal: 'a' }],
}
const TOOLS: Record<string, object> = {
  function: { name: 'f', parameters: { type: 'object' }, strict: false },
  custom: { name: 'f' },
  namespace: { name: 'n', description: 'd', tools: [{ type: 'custom', name: 'f' }] },
  code_interpreter: { container: { type: 'auto' } },
  file_search: { vector_store_ids: ['vs_1'] },
  mcp: { server_label: 's', server_url: 'https://tools.example' },
}

const ANNOTATIONS: Record<string, JsonObject> = {
  url_citation: { url: 'https://a.example', title: 't', start_index: 0, end_index: 1 },
  file_citation: { file_id: 'f', filename: 't', index: 0 },
  file_path: { file_id: 'f', index: 0 },
  container_file_citation: { container_id: 'c', file_id: 'f', start_index: 0, end_index: 1 },
}

/** Members whose values are checked. */
const VALUES: Record<string, Json> = {
  include: ['file_search_call.results'],
  truncation: 'auto',
}

const readReply = (response: JsonObject): Event[] =>
  responses.upstream.reader(replyContext()).body({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [],
    usage: null,
    ...response,
  })

const readBlocks = (item: object) => read({ input: [item] }).turns.flatMap(({ blocks }) => blocks)

describe('the ledger of responses holds', () => {
  const items = withFate(RESPONSES_ITEMS, 'read').filter(
    (type) => !/^(?:item_reference|compaction_trigger)$/.test(type),
  )
  test.each(items)('the item %s is read', (type) => {
    const { turns, tools } = read({ input: [{ type, ...ITEMS[type] }] })
    const blocks = turns.flatMap((turn) => turn.blocks)
    const efforts = turns.flatMap(({ effort }) => effort ?? [])
    expect(blocks.length + tools.length + efforts.length).toBeGreaterThan(0)
    expect(blocks.map(({ kind }) => kind)).not.toContain('opaque')
  })
  test.each(withFate(RESPONSES_ITEMS, 'opaque'))('the item %s is kept whole', (type) => {
    expect(readBlocks({ type, id: 'x_1', odd: 1 })).toMatchObject([
      { kind: 'opaque', value: { type, odd: 1 } },
    ])
  })
  test.each(Object.keys(RESPONSES_PARTS))('the part %s is read', (type) => {
    const [role, rest] = PARTS[type] ?? ['user', {}]
    const [block] = readBlocks({ type: 'message', role, content: [{ type, ...rest }] })
    expect(block?.kind).toMatch(/^(text|media|refusal)$/)
  })
  test.each(withFate(RESPONSES_TOOLS, 'opaque'))('the tool %s is kept whole', (type) => {
    expect(read({ tools: [{ type, odd: 1 }] }).tools).toMatchObject([{ kind: 'opaque' }])
  })
  test.each(withFate(RESPONSES_TOOLS, 'read'))('the tool %s is read', (type) => {
    const { tools } = read({ tools: [{ type, ...TOOLS[type] }] })
    expect(tools).toHaveLength(1)
    expect(tools[0]?.kind).not.toBe('opaque')
  })
  test.each(withFate(RESPONSES_MEMBERS, 'ext'))('the member %s is a leftover', (member) => {
    const value = VALUES[member] ?? { odd: 1 }
    const { ext } = read({ [member]: value })
    expect(JSON.stringify(ext)).toContain(`"${member}":${JSON.stringify(value)}`)
  })
  test.each(Object.keys(RESPONSES_EFFORTS))('the effort %s is one', (effort) => {
    expect(read({ reasoning: { effort } }).reasoning).toMatchObject(
      effort === 'none' ? { mode: 'off' } : { effort },
    )
  })
  test.each(withFate(INCOMPLETE_REASONS, 'read'))('%s has a word', (reason) => {
    const events = readReply({ status: 'incomplete', incomplete_details: { reason } })
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
    expect(events.at(-1)).not.toMatchObject({ reason: 'other' })
  })
  test.each(Object.keys(RESPONSES_STATUSES))('the status %s ends a whole reply', (status) => {
    const events = readReply({ status })
    const isFinished = /^(?:completed|incomplete)$/.test(status)
    expect(events.at(-1)?.type).toBe(isFinished ? 'finish' : 'error')
  })
  test.each(Object.keys(RESPONSES_ANNOTATIONS))('the annotation %s is a citation', (type) => {
    const annotation = { type, ...ANNOTATIONS[type] }
    const content = [{ type: 'output_text', text: 'a', annotations: [annotation] }]
    const events = readReply({ output: [{ type: 'message', role: 'assistant', content }] })
    const isUsual = /^(?:url|file)_citation$/.test(type)
    expect(events.filter((event) => event.type === 'citation')).toMatchObject([
      { citation: isUsual ? { title: 't' } : { ext: { responses: { type } } } },
    ])
  })
  test.each(Object.keys(RESPONSES_EVENTS))('the event %s may be empty', (type) => {
    const reader = responses.upstream.reader(replyContext())
    expect(() => reader.push({ name: type, data: { type } })).not.toThrow()
  })
})
