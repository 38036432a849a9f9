import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { sse } from '../dialects/voice.ts'

const DATA = 'iVBORw0KGgo='
const TOOL = {
  type: 'computer_20251124',
  name: 'computer',
  display_width_px: 1024,
  display_height_px: 768,
}
const SET = { type: 'computer_toolset_20260801' }
const SHOT = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: DATA },
}
const CHECK = { id: 'cu_sc_1', code: 'malicious_instructions', message: 'It asks for more.' }
const ACTIONS: JsonObject[] = [
  { type: 'click', button: 'left', x: 3, y: 4 },
  { type: 'type', text: 'tea' },
]

const item = (actions: JsonObject[], pending_safety_checks: JsonObject[] = []) => ({
  id: 'cu_9',
  type: 'computer_call',
  call_id: 'call_9',
  status: 'completed',
  actions,
  pending_safety_checks,
})
const reply = (...output: object[]) => ({
  id: 'resp_1',
  object: 'response',
  model: 'm',
  status: 'completed',
  output,
})

/** A caller that knows single actions, and a model with a tool for a screen. */
function session(tool: object, model = 'gpt-5.4') {
  const speaker = translator({ from: 'messages', to: 'responses', model })
  const messages: object[] = [{ role: 'user', content: 'Order tea.' }]
  const ask = () => {
    const { text, losses } = speaker.request({ model: 'm', max_tokens: 9, tools: [tool], messages })
    return { body: JSON.parse(text), losses: losses.map(({ path }) => path) }
  }
  const hear = (...call: Parameters<typeof item>) => {
    ask()
    const { text, losses } = speaker.reply(reply(item(...call)))
    const { content, stop_reason } = JSON.parse(text)
    messages.push({ role: 'assistant', content })
    return { content, stop_reason, losses: losses.map(({ path }) => path) }
  }
  const answer = (content: object[], told: (name: string) => object) => {
    const uses = content.filter((block) => 'id' in block)
    const results = uses.map((use) => ({
      type: 'tool_result',
      tool_use_id: 'id' in use && use.id,
      ...('toolset_name' in use && { toolset_name: use.toolset_name }),
      ...told(JSON.stringify(use)),
    }))
    messages.push({ role: 'user', content: results })
    return ask()
  }
  return { speaker, ask, hear, answer }
}

/** An agent that takes pictures only where it is asked to. */
const frugal = (use: string) => (use.includes('screenshot') ? { content: [SHOT] } : {})

describe('the tool for a screen of a caller that knows single actions', () => {
  it('is the tool of a model that has one, and a function elsewhere', () => {
    const { body, losses } = session(TOOL).ask()
    expect(body.tools).toEqual([{ type: 'computer' }])
    expect(losses).toContain('tools.computer.size')
    expect(session(SET).ask().body.tools).toEqual([{ type: 'computer' }])
    for (const model of ['gpt-5.2', 'gpt-5.4-nano', 'm'])
      expect(session(TOOL, model).ask().body.tools).toMatchObject([{ type: 'function' }])
  })

  it.each([TOOL, SET])('is called action by action, and shown the screen: $type', (tool) => {
    const { ask, hear, answer } = session(tool)
    const before = ask().body
    const { content, stop_reason, losses } = hear(ACTIONS)
    const set = { toolset_name: 'computer' }
    const click = { coordinate: [3, 4] }
    expect(content).toMatchObject(
      tool === SET
        ? [
            { name: 'left_click', ...set, input: click },
            { name: 'type', ...set, input: { text: 'tea' } },
            { name: 'screenshot', ...set, input: {} },
          ]
        : [
            { name: 'computer', input: { action: 'left_click', ...click } },
            { name: 'computer', input: { action: 'type', text: 'tea' } },
            { name: 'computer', input: { action: 'screenshot' } },
          ],
    )
    expect(stop_reason).toBe('tool_use')
    expect(losses).toEqual([])
    const { body } = answer(content, frugal)
    expect(body.input.slice(0, 1)).toEqual(before.input)
    expect(body.input.slice(1)).toEqual([
      {
        type: 'computer_call',
        id: 'cu_call_9',
        call_id: 'call_9',
        actions: ACTIONS,
        pending_safety_checks: [],
        status: 'completed',
      },
      {
        type: 'computer_call_output',
        call_id: 'call_9',
        output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${DATA}` },
      },
    ])
  })

  it('asks for no second screenshot', () => {
    const { hear } = session(TOOL)
    expect(hear([{ type: 'screenshot' }]).content).toMatchObject([{ id: 'call_9' }])
  })

  it('tells what its results say besides', () => {
    const { hear, answer } = session(TOOL)
    const said = { content: [{ type: 'text', text: 'Tea has come.' }, SHOT] }
    const { body } = answer(hear([{ type: 'screenshot' }]).content, () => said)
    expect(body.input.at(-1).content).toEqual([{ type: 'input_text', text: 'Tea has come.' }])
  })

  it('is a call of a function where no screenshot came', () => {
    const { hear, answer } = session(TOOL)
    const { body } = answer(hear(ACTIONS).content, () => ({ content: 'done' }))
    expect(body.input.map(({ type }: { type: string }) => type)).toEqual([
      'message',
      ...Array(3).fill('function_call'),
      ...Array(3).fill('function_call_output'),
    ])
  })
})

describe('a pending safety check (trap 16)', () => {
  it('is told in words and with the call, and confirmed only by its result', () => {
    const { hear, answer } = session(TOOL)
    const { content, losses } = hear(ACTIONS, [CHECK])
    expect(content[0].text).toContain('malicious_instructions: It asks for more.')
    expect(content[1].input.pending_safety_checks).toEqual([CHECK])
    expect(losses).toEqual(['reply.computer.pending_safety_checks'])
    const { body } = answer(content, frugal)
    expect(body.input.slice(1)).toMatchObject([
      { type: 'computer_call', actions: ACTIONS, pending_safety_checks: [CHECK] },
      { type: 'computer_call_output', acknowledged_safety_checks: [CHECK] },
    ])
  })

  it.each([
    ['an error', () => ({ is_error: true, content: [SHOT] })],
    ['no result', () => ({ content: 'The user said no.' })],
  ])('is not confirmed by %s', (_, told) => {
    const { hear, answer } = session(TOOL)
    const { body } = answer(hear(ACTIONS, [CHECK]).content, told)
    expect(JSON.stringify(body)).not.toContain('acknowledged_safety_checks')
    expect(JSON.stringify(body)).not.toContain('"computer_call')
  })

  it('is told so in a stream', async () => {
    const { speaker, ask } = session(TOOL)
    ask()
    const { readable, writable } = speaker.stream()
    const writer = writable.getWriter()
    const steps = [
      { type: 'response.created', response: { id: 'resp_1', model: 'm', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: item(ACTIONS, [CHECK]) },
      { type: 'response.output_item.done', output_index: 0, item: item(ACTIONS, [CHECK]) },
      { type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed' } },
    ]
    void writer.write(new TextEncoder().encode(steps.map(sse).join('')))
    void writer.close()
    const text = await new Response(readable).text()
    expect(text.match(/"type":"content_block_start"/g)).toHaveLength(4)
    expect(text.indexOf('It asks for more.')).toBeLessThan(text.indexOf('left_click'))
    expect(text).toContain('"stop_reason":"tool_use"')
  })
})
