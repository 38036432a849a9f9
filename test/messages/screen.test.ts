import { describe, expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'
import { sse } from '../dialects/voice.ts'

const SIZED = {
  type: 'computer_use_preview',
  display_width: 1024,
  display_height: 768,
  environment: 'browser',
}
const image_url = 'data:image/png;base64,iVBORw0KGgo='
const CLICK = { coordinate: [3, 4] }
const SET_MODEL = 'claude-opus-5-5'

function session(tool: object, model: string) {
  const speaker = translator({ from: 'responses', to: 'messages', model })
  const input: object[] = [{ role: 'user', content: 'Order tea.' }]
  const ask = () => {
    const { text, headers, losses } = speaker.request({ model: 'm', tools: [tool], input })
    return { body: JSON.parse(text), headers, losses: losses.map(({ path }) => path) }
  }
  const hear = (...content: object[]) => {
    const { text, losses } = speaker.reply({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
    const { output } = JSON.parse(text)
    input.push(...output)
    for (const { call_id } of output)
      input.push({
        type: 'computer_call_output',
        call_id,
        output: { type: 'computer_screenshot', image_url },
      })
    return { output, losses: losses.map(({ path }) => path) }
  }
  return { speaker, ask, hear }
}

const use = (model: string, action: string, args: object) => ({
  type: 'tool_use',
  id: `toolu_${action}`,
  ...(model === SET_MODEL
    ? { name: action, toolset_name: 'computer', input: args }
    : { name: 'computer', input: { action, ...args } }),
})

describe('the tool for a screen of a caller that lists actions', () => {
  it.each([
    ['claude-opus-4-6', 'computer_20251124', 'computer-use-2025-11-24'],
    ['claude-sonnet-4-20250514', 'computer_20250124', 'computer-use-2025-01-24'],
  ])('is the one of %s where its size is known', (model, type, beta) => {
    const { body, headers, losses } = session(SIZED, model).ask()
    expect(body.tools).toEqual([
      { type, name: 'computer', display_width_px: 1024, display_height_px: 768 },
    ])
    expect(headers['anthropic-beta']).toBe(beta)
    expect(losses).toContain('tools.computer.environment')
    const unsized = session({ type: 'computer' }, model).ask()
    expect(unsized.body.tools).toMatchObject([{ name: 'computer', input_schema: {} }])
    expect(unsized.headers).not.toHaveProperty('anthropic-beta')
  })

  it('is a set without what its caller has no words for', () => {
    const { body, headers } = session({ type: 'computer' }, SET_MODEL).ask()
    expect(body.tools).toMatchObject([
      { type: 'computer_toolset_20260801', configs: { zoom: { enabled: false } } },
    ])
    expect(headers['anthropic-beta']).toBe('thinking-display-updates-2026-08-18')
  })

  it.each(['claude-3-opus', 'vertex/claude-opus-4-6', 'm'])('is a function to %s', (model) => {
    expect(session(SIZED, model).ask().body.tools).toMatchObject([{ input_schema: {} }])
  })

  it.each([SET_MODEL, 'claude-opus-4-6'])('comes home as it was called by %s', (model) => {
    const { ask, hear } = session(SIZED, model)
    const before = ask().body
    const calls = [
      use(model, 'triple_click', CLICK),
      use(model, 'key', { text: 'ctrl+a' }),
      use(model, 'screenshot', {}),
    ]
    const { output, losses } = hear(...calls)
    const click = { type: 'click', button: 'left', x: 3, y: 4 }
    expect(output).toMatchObject([
      { type: 'computer_call', action: click, actions: [click, click, click] },
      { type: 'computer_call', actions: [{ type: 'keypress', keys: ['CTRL', 'A'] }] },
      { type: 'computer_call', actions: [{ type: 'screenshot' }], pending_safety_checks: [] },
    ])
    expect(losses).toEqual([])
    const { body } = ask()
    expect(body.messages.slice(0, 1)).toEqual(before.messages)
    expect(body.messages[1].content).toEqual(calls)
    expect(body.messages[2].content).toMatchObject(
      calls.map(({ id }) => ({ tool_use_id: id, content: [{ type: 'image' }] })),
    )
  })

  it('says which action its caller has no word for', () => {
    const model = 'claude-opus-4-6'
    const { ask, hear } = session(SIZED, model)
    ask()
    const hold = use(model, 'hold_key', { text: 'shift', duration: 2 })
    const { output, losses } = hear(hold)
    expect(output).toMatchObject([{ actions: [{ type: 'hold_key', keys: ['SHIFT'] }] }])
    expect(losses).toEqual(['reply.computer'])
    expect(ask().body.messages[1].content).toEqual([hold])
  })

  it('answers each action of a list', () => {
    const { speaker } = session(SIZED, 'claude-opus-4-6')
    const actions = [
      { type: 'move', x: 3, y: 4 },
      { type: 'keypress', keys: ['ENTER'] },
    ]
    const { text } = speaker.request({
      model: 'm',
      tools: [SIZED],
      input: [
        { role: 'user', content: 'Go.' },
        { type: 'computer_call', id: 'cu_1', call_id: 'c', actions, status: 'completed' },
        {
          type: 'computer_call_output',
          call_id: 'c',
          output: { type: 'computer_screenshot', image_url },
        },
      ],
    })
    const [, called, answered] = JSON.parse(text).messages
    expect(called.content).toMatchObject([
      { id: 'c_1of2', input: { action: 'mouse_move', ...CLICK } },
      { id: 'c_2of2', input: { action: 'key', text: 'Return' } },
    ])
    expect(answered.content).toMatchObject([
      { tool_use_id: 'c_1of2' },
      { tool_use_id: 'c_2of2', content: [{ type: 'image' }] },
    ])
  })

  it('is called in a stream', async () => {
    const { speaker, ask } = session(SIZED, SET_MODEL)
    ask()
    const { readable, writable } = speaker.stream()
    const writer = writable.getWriter()
    const message = { id: 'msg_1', model: 'm', content: [], usage: {} }
    const steps = [
      { type: 'message_start', message },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { ...use(SET_MODEL, 'left_click', {}), input: {} },
      },
      ...['{"coordinate":[3', ',4]}'].map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
      { type: 'message_stop' },
    ]
    void writer.write(new TextEncoder().encode(steps.map(sse).join('')))
    void writer.close()
    expect(await new Response(readable).text()).toContain(
      '"actions":[{"type":"click","button":"left","x":3,"y":4}]',
    )
  })
})
