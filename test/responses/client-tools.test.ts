import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import { sse } from '../dialects/voice.ts'
import { read, write } from './exchange.ts'
import { messagesStart } from '../dialects/messages/reply.ts'

const SHELL = { commands: ['ls', 'pwd'], timeout_ms: 1000, max_output_length: null }
const EXEC = { command: ['ls', '-l'], env: {}, working_directory: '/tmp' }
const PATCH = { type: 'update_file', path: 'a.txt', diff: '@@\n-a\n+b' }
const CLICK = { type: 'click', x: 1, y: 2, button: 'left' }
const DEFERRED = { type: 'function', name: 'late', parameters: { type: 'object' }, strict: false }

/** A tool, what a function is called with, the item that its caller knows, what came of it, and that in words. */
const cases = [
  {
    tool: { type: 'shell' },
    args: SHELL,
    call: { type: 'shell_call', call_id: 'c1', action: SHELL, environment: null },
    output: {
      type: 'shell_call_output',
      call_id: 'c1',
      output: [
        { stdout: 'a.txt\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
        { stdout: '', stderr: 'no', outcome: { type: 'exit', exit_code: 1 } },
        { stdout: '', stderr: '', outcome: { type: 'timeout' } },
      ],
    },
    words: 'a.txt\n\nno\nexit code 1\ntimed out',
  },
  {
    tool: { type: 'local_shell' },
    args: EXEC,
    call: { type: 'local_shell_call', call_id: 'c1', action: { ...EXEC, type: 'exec' } },
    output: { type: 'local_shell_call_output', id: 'c1', output: 'a.txt' },
    words: 'a.txt',
  },
  {
    tool: { type: 'apply_patch' },
    args: { operation: PATCH },
    call: { type: 'apply_patch_call', call_id: 'c1', operation: PATCH },
    output: { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed' },
    words: 'failed',
  },
  {
    tool: { type: 'tool_search', execution: 'client' },
    args: { query: 'late' },
    call: {
      type: 'tool_search_call',
      call_id: 'c1',
      arguments: { query: 'late' },
      execution: 'client',
    },
    output: {
      type: 'tool_search_output',
      call_id: 'c1',
      execution: 'client',
      tools: [DEFERRED],
    },
    words: 'The tool late was found and can be called.',
  },
  {
    tool: { type: 'computer' },
    args: { action: 'left_click', coordinate: [1, 2] },
    call: {
      type: 'computer_call',
      call_id: 'c1',
      action: CLICK,
      actions: [CLICK],
      pending_safety_checks: [],
    },
    output: {
      type: 'computer_call_output',
      call_id: 'c1',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
    },
    words: 'iVBORw0KGgo=',
  },
]

const others = DIALECTS.filter((dialect) => dialect !== 'responses')
const pairs = cases.flatMap((one) => others.map((to) => ({ ...one, to, type: one.tool.type })))

const body = ({ tool, call, output }: (typeof cases)[number]) => ({
  model: 'm',
  input: [{ role: 'user', content: 'Hi' }, { status: 'completed', ...call }, output],
  tools: [tool],
})

describe('a tool that the caller runs', () => {
  it.each(pairs)('is a function to $to, with its calls and results: $type', (one) => {
    const { text, losses } = translator({ from: 'responses', to: one.to }).request(body(one))
    expect(text).toContain(`"name":"${one.type}"`)
    expect(text).toContain(JSON.stringify(one.words).slice(1, -1))
    expect(losses.filter(({ code, path }) => code === 'dropped' && !/strict/.test(path))).toEqual(
      [],
    )
    expect(text.includes('"late"')).toBe(one.type === 'tool_search')
  })

  it.each(pairs)('is called by its own item over $to: $type', (one) => {
    const speaker = translator({ from: 'responses', to: one.to, model: 'm' })
    speaker.request({ model: 'm', input: 'Hi', tools: [one.tool] })
    const reply = kits[one.to].say.call(one.type, JSON.stringify(one.args))
    const { body: heard, losses } = speaker.reply(reply)
    expect(heard).toMatchObject({
      status: 'completed',
      output: [{ ...one.call, call_id: expect.any(String) }],
    })
    expect(losses).toEqual([])
  })

  it.each(cases)('stays as it is for its own service: $tool.type', (one) => {
    const whole = body(one)
    expect(write(read(whole), {}, 'm').body).toMatchObject(whole)
  })
})

it('stays one item with several actions for its own service', () => {
  const actions = [CLICK, { type: 'wait' }, { type: 'screenshot' }]
  const [, , , , computer] = cases
  const whole = computer && body(computer)
  const input = whole?.input.map((item) =>
    'call_id' in item && 'actions' in item ? { ...item, actions } : item,
  )
  expect(write(read({ ...whole, input }), {}, 'm').body).toMatchObject({ input })
})

const FRAMES = [
  messagesStart,
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'shell', input: {} },
  },
  ...['{"commands":["l', 's"]}'].map((partial_json) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json },
  })),
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]

it('is called in a stream by an item that is announced and done when it is known', async () => {
  const speaker = translator({ from: 'responses', to: 'messages', model: 'm' })
  speaker.request({ model: 'm', input: 'Hi', stream: true, tools: [{ type: 'shell' }] })
  const { readable, writable } = speaker.stream()
  const writer = writable.getWriter()
  void writer.write(new TextEncoder().encode(FRAMES.map(sse).join('')))
  void writer.close()
  const text = await new Response(readable).text()
  const events = text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
  const item = { type: 'shell_call', action: { commands: ['ls'] }, call_id: 'toolu_1' }
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events[2]).toMatchObject({ output_index: 0, item: { ...item, status: 'in_progress' } })
  expect(events[3]).toMatchObject({ output_index: 0, item: { ...item, status: 'completed' } })
  expect(events[4].response.output).toEqual([events[3].item])
})

describe('a tool that the service runs', () => {
  it.each([
    { type: 'shell', environment: { type: 'container_auto' }, path: 'tools.shell' },
    { type: 'tool_search', execution: 'server', path: 'tools.tool-search' },
    { type: 'tool_search', path: 'tools.tool-search' },
  ])('is nothing that another one could: %o', ({ path, ...tool }) => {
    const { losses } = translator({ from: 'responses', to: 'messages' }).request({
      model: 'm',
      input: 'Hi',
      tools: [tool],
    })
    expect(losses).toContainEqual({ code: 'dropped', path })
  })
})

describe('a reply of nothing but what the caller has to do (trap 14)', () => {
  const output = [
    { id: 'sh_1', type: 'shell_call', call_id: 'c1', action: SHELL, status: 'completed' },
  ]
  const reply = { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output }
  it.each(others)('is a call for a %s caller', (from) => {
    const speaker = translator({ from, to: 'responses', model: 'm' })
    speaker.request({ model: 'm', ...kits[from].ask.needed, ...kits[from].ask.called('{}', 'r') })
    const { text } = speaker.reply(reply)
    expect(text).toContain('"shell"')
    expect(text).toContain('pwd')
    if (from === 'messages') expect(text).toContain('"stop_reason":"tool_use"')
  })
})
