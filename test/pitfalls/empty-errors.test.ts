import { describe, expect, it } from 'vitest'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { translator } from '../../src/named-translator.ts'
import { kits, PAIRS } from '../dialects/index.ts'

/** Programs in Go write a member of text or a flag also where nothing was set; a gateway does so with its errors. */
const EMPTY = [null, '', false]

describe.each(PAIRS)('an error that says nothing, to %s from %s', (from, to) => {
  const { say } = kits[to]
  const hearing = () => {
    const speaker = translator({ from, to, model: 'm' })
    const { needed, text } = kits[from].ask
    speaker.request(kits[from].http.body('m', true, { ...needed, ...text('hi') }))
    return speaker
  }

  it.each(EMPTY)('is none in a reply: %j', (error) => {
    expect(hearing().reply({ ...say.hello.body, error }).text).toContain('hello')
  })

  it.each(EMPTY)('is none in a stream: %j', async (error) => {
    // Azure's first chunk tells what was filtered of the prompt, and has no choices.
    const first: JsonObject[] = to === 'chat-completions' ? [{ id: 'x', choices: [] }] : []
    const events: JsonObject[] = [...first, ...say.hello.events.map((event) => ({ ...event }))]
    const said = events.map((event) => `data: ${stringify({ ...event, error })}\n\n`)
    const whole = new Blob([...said, ...(to === 'chat-completions' ? ['data: [DONE]\n\n'] : [])])
    const told = whole.stream().pipeThrough(hearing().stream())
    const text = await new Response(told).text()
    expect(text).toContain('hello')
    expect(text).not.toMatch(/event: error|"error":\s*\{|response\.failed/)
  })
})
