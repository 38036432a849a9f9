import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import type { Config } from '../../src/config/type.ts'
import { createApp } from '../../src/index.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import { bothWays, chunk, completion, read, USAGE } from './reading.ts'

const SOUND = { id: 'audio_1', data: 'UklGRg==', expires_at: 1_800_000_000, transcript: 'Hello.' }
const { transcript: _, ...WORDLESS } = SOUND
const MARK = { kind: 'opaque', value: { type: 'audio' } }

describe('a reply of sound', () => {
  it('is the text of its transcript, and something that has no words', () => {
    for (const reply of bothWays({ content: null, audio: SOUND }))
      expect(reply).toMatchObject({
        finish: 'stop',
        blocks: [{ kind: 'text', text: 'Hello.' }, MARK],
      })
  })

  it('comes in pieces, without a reason at its end and behind what it cost', () => {
    const reply = read(
      chunk({ role: 'assistant', content: null, audio: { id: 'audio_1' } }),
      chunk({ audio: { transcript: 'Hel' } }),
      chunk({ audio: { data: 'UklG' } }),
      chunk({ audio: { transcript: 'lo.' } }),
      { choices: [], usage: USAGE },
      chunk({ audio: { expires_at: 1_800_000_000 } }),
      '[DONE]',
    )
    expect(reply).toMatchObject({
      finish: 'stop',
      blocks: [{ kind: 'text', text: 'Hello.' }, MARK],
      usage: { output: 2 },
    })
  })

  it('is not said twice where it is written, too', () => {
    for (const reply of bothWays({ content: 'Hello!', audio: SOUND }))
      expect(reply.blocks).toMatchObject([{ kind: 'text', text: 'Hello!' }, MARK])
  })
})

const OTHERS = DIALECTS.filter((dialect) => dialect !== 'chat-completions')

const bodyFor = (caller: Dialect, stream: boolean) => {
  const { http, ask } = kits[caller]
  return http.body('m', stream, { ...ask.needed, ...ask.text('x') })
}

describe('a stream of sound', () => {
  const config: Config = {
    upstreams: {
      one: { dialect: 'chat-completions', url: 'https://one.example', key: 'k'.repeat(20) },
    },
    routes: [{ model: '*', upstream: 'one' }],
    callers: 'open',
  }
  const text = [
    chunk({ role: 'assistant', audio: { id: 'audio_1', transcript: 'Hello.' } }),
    chunk({ audio: { expires_at: 1_800_000_000 } }),
    '[DONE]',
  ]
    .map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    .join('')

  it('passes, although no reason stands at its end', async () => {
    const headers = new Headers({ 'content-type': 'text/event-stream' })
    const send = async () => ({ status: 200, headers, body: new Response(text).body })
    const response = await createApp(config, { send }).fetch(
      new Request('http://localhost/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...bodyFor('chat-completions', true), modalities: ['audio'] }),
      }),
    )
    expect(await response.text()).toBe(text)
  })
})

describe.each(OTHERS)('a caller of %s', (caller) => {
  const whole = (message: object, finish = 'stop') => {
    const both = translator({ from: caller, to: 'chat-completions' })
    both.request(bodyFor(caller, false))
    return both.reply(completion(message, finish))
  }
  const streamed = async (...chunks: object[]) => {
    const both = translator({ from: caller, to: 'chat-completions', stream: true })
    both.request(bodyFor(caller, true))
    const text = [...chunks.map((each) => JSON.stringify(each)), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join('')
    return new Response(new Response(text).body?.pipeThrough(both.stream())).text()
  }

  it('reads what a sound says, and that the sound is lost', async () => {
    const { text, losses } = whole({ content: null, audio: SOUND })
    expect(text).toContain('Hello.')
    expect(losses).toContainEqual({ code: 'dropped', path: 'reply.audio' })
    expect(await streamed(chunk({ audio: SOUND }), chunk({}, 'stop'))).toContain('Hello.')
  })

  it('is told of no success where nothing is left of it', async () => {
    const NOTHING = /nothing that this API has words for: audio/
    for (const finish of ['stop', 'stop_sequence'])
      expect(() => whole({ content: null, audio: WORDLESS }, finish)).toThrow(NOTHING)
    const text = await streamed(chunk({ audio: WORDLESS }), chunk({}, 'stop'))
    expect(text).toMatch(NOTHING)
    expect(text).not.toMatch(/message_stop|"finishReason":"STOP"|response\.completed/)
  })
})
