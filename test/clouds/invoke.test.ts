import { describe, expect, it } from 'vitest'
import { reframed } from '../../src/stream/eventstream.ts'
import type { AmazonFrame } from '../../src/stream/codec.ts'
import { joinBytes } from '../../src/json/bytes.ts'
import { toSource } from '../../src/stream/source.ts'
import type { UpstreamResponse } from '../../src/ports.ts'
import { answer, ASKED, cloudSite, MESSAGE, type CloudSite, type Upstream } from './site.ts'
import { chunk, exception, frameOf } from './frames.ts'

const VECTORS = {
  chunk:
    '000000870000004b87ea2bf30b3a6576656e742d747970650700056368756e6b0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b226279746573223a2265794a306558426c496a6f696257567a6332466e5a56397a64473977496e303d227dba48ab22',
  exception:
    '00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e79207265717565737473227de67f8005',
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** What is read of bytes that come in pieces. */
async function readAll(pieces: readonly Uint8Array[]): Promise<AmazonFrame[]> {
  const frames: AmazonFrame[] = []
  const source = reframed(toSource(streamOf(pieces)), (frame) => {
    frames.push(frame)
    return { event: 'x', data: frame.payload }
  })
  while (await source.read());
  return frames
}

const streamOf = (pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

describe('frames of Amazon', () => {
  it('are read as others write them', async () => {
    expect(await readAll([bytesOf(VECTORS.chunk), bytesOf(VECTORS.exception)])).toEqual([
      {
        kind: 'event',
        name: 'chunk',
        message: '',
        payload: '{"bytes":"eyJ0eXBlIjoibWVzc2FnZV9zdG9wIn0="}',
      },
      {
        kind: 'exception',
        name: 'throttlingException',
        message: '',
        payload: '{"message":"Too many requests"}',
      },
    ])
    expect(chunk('{"type":"message_stop"}')).toEqual(bytesOf(VECTORS.chunk))
  })

  it('are the same cut at every byte, and byte by byte', async () => {
    const whole = joinBytes([bytesOf(VECTORS.chunk), bytesOf(VECTORS.exception)])
    const frames = await readAll([whole])
    expect(await readAll([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(frames)
    for (let at = 0; at <= whole.length; at += 1)
      expect(await readAll([whole.subarray(0, at), whole.subarray(at)])).toEqual(frames)
  })

  it('that are cut off are no end', async () => {
    const whole = bytesOf(VECTORS.chunk)
    for (let at = 1; at < whole.length; at += 1)
      await expect(readAll([whole.subarray(0, at)])).rejects.toThrow('middle')
    expect(await readAll([])).toEqual([])
  })

  it('with any byte changed are refused', async () => {
    const whole = bytesOf(VECTORS.exception)
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Uint8Array.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 1
      await expect(readAll([changed]), `byte ${at}`).rejects.toThrow('a frame of the upstream')
    }
  })

  it.each([0, 15, 2 ** 24 + 1, 2 ** 32 - 1])(
    'of %d bytes are refused at their head',
    async (size) => {
      const head = frameOf({}, '').subarray(0, 12)
      const view = new DataView(head.buffer)
      view.setUint32(0, size)
      view.setUint32(8, crc(head.subarray(0, 8)))
      await expect(readAll([head])).rejects.toThrow('wrong length')
    },
  )

  it('with headers of all types are read', async () => {
    const plain = frameOf(
      { a: 'b', ':message-type': 'error', ':error-code': 'c', ':error-message': 'd' },
      '',
    )
    expect(await readAll([plain])).toEqual([
      { kind: 'error', name: 'c', message: 'd', payload: '' },
    ])
  })
})

function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}

const INVOKE: Upstream = {
  dialect: 'messages',
  url: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  profile: 'bedrock-invoke',
  key: 'bedrock-key-0123456789',
  auth: 'bearer',
}

const { content: _, ...EMPTY } = MESSAGE
const START = { type: 'message_start', message: { ...EMPTY, content: [], stop_reason: null } }
const EVENTS = [
  START,
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hel' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo é' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
]
const STOP = { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 3 } }
const FRAMES = [...EVENTS, STOP].map((event) => chunk(event, { p: 'abcdef' }))

const streamed = (pieces: readonly Uint8Array[]): UpstreamResponse => ({
  status: 200,
  headers: new Headers({ 'content-type': 'application/vnd.amazon.eventstream' }),
  body: streamOf(pieces),
})

const siteOf = (pieces: readonly Uint8Array[], config = {}): CloudSite =>
  cloudSite({ c: INVOKE }, () => streamed(pieces), config)

const STREAM = { ...ASKED, model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', stream: true }

describe('Bedrock Invoke', () => {
  it('is asked with the model in the path, and the rest of the bytes', async () => {
    const site = cloudSite({ c: INVOKE }, () => answer(MESSAGE))
    const rest = '"max_tokens":16, "messages":[ {"role":"user","content":"h\\u00e9 \u2028é"}]'
    const text = `{"model":"arn:aws:bedrock:us-east-1:1:inference-profile/a","stream":false,${rest}}`
    const betas = { 'anthropic-beta': 'context-1m-2025-08-07,claude-code-20250219' }
    const reply = await site.fetch('/v1/messages?beta=true', text, betas)
    expect(await reply.json()).toEqual(MESSAGE)
    expect(site.sent[0]?.url).toBe(
      `${INVOKE.url}/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fa/invoke`,
    )
    expect(site.sent[0]?.text).toBe(
      `{${rest},"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["context-1m-2025-08-07","claude-code-20250219"]}`,
    )
    expect(
      Object.keys(site.sent[0]?.headers ?? {}).filter((name) => /version|beta/.test(name)),
    ).toEqual([])
  })

  it('streams its frames as the events of messages', async () => {
    const site = siteOf(FRAMES)
    const reply = await site.fetch('/v1/messages', STREAM)
    expect(reply.headers.get('content-type')).toContain('text/event-stream')
    expect(site.sent[0]?.url).toMatch(/v1%3A0\/invoke-with-response-stream$/)
    expect(site.sent[0]?.body).not.toHaveProperty('stream')
    const told = [...EVENTS, { type: 'message_stop' }]
    expect(await reply.text()).toBe(
      told.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    )
  })

  it.each([
    ['/v1/chat/completions', { messages: ASKED.messages }, '[DONE]'],
    ['/v1/responses', { input: 'hi' }, 'response.completed'],
  ])('streams to %s, too', async (path, body, end) => {
    const pieces = [...joinBytes(FRAMES)].map((byte) => Uint8Array.of(byte))
    const reply = await siteOf(pieces).fetch(path, { model: 'm', stream: true, ...body })
    const said = await reply.text()
    expect(said).toContain('hel')
    expect(said).toContain(end)
  })

  it('what has no type, and other events, are nobody’s', async () => {
    const other = frameOf({ ':message-type': 'event', ':event-type': 'initial-response' }, '{}')
    const site = siteOf([other, chunk('{"ping":1}'), chunk('no json'), ...FRAMES])
    const reply = await (await site.fetch('/v1/messages', STREAM)).text()
    expect(reply).not.toMatch(/ping|no json|initial/)
    expect(reply).toContain('message_stop')
  })

  it.each([
    ['throttlingException', 'rate_limit_error', 429],
    ['serviceUnavailableException', 'overloaded_error', 529],
    ['validationException', 'invalid_request_error', 400],
    ['modelStreamErrorException', 'api_error', 500],
  ])('%s is a failure in the words of messages', async (type, word, status) => {
    const first = await siteOf([exception(type, 'so it is')]).fetch('/v1/messages', STREAM)
    const said = await first.text()
    expect(said).toContain(word)
    expect(said).toContain('so it is')
    if (first.status !== 200) expect(first.status).toBe(status)
    const middle = await siteOf([...FRAMES.slice(0, 3), exception(type, 'so it is')]).fetch(
      '/v1/messages',
      STREAM,
    )
    const broken = await middle.text()
    expect(broken).toContain(word)
    expect(broken).not.toContain('message_stop')
  })

  it('an exception behind the end changes nothing', async () => {
    const site = siteOf([...FRAMES, exception('internalServerException', 'late')])
    const said = await (
      await site.fetch('/v1/responses', { model: 'm', input: 'hi', stream: true })
    ).text()
    expect(said).toContain('response.completed')
    expect(said).not.toContain('late')
  })

  it('a frame that is damaged breaks the stream, and is no end', async () => {
    const bad = Uint8Array.from(FRAMES[3] ?? [])
    bad[20] = 0
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      const site = siteOf([...FRAMES.slice(0, 3), bad, ...FRAMES.slice(4)])
      const reply = await site.fetch(path, { ...STREAM, model: 'm' })
      const said = await reply.text()
      expect(said).toContain('error')
      expect(said).not.toMatch(/message_stop|\[DONE\]/)
    }
  })

  it('goes on with another region where it is throttled before a word', async () => {
    const other: Upstream = { ...INVOKE, url: 'https://bedrock-runtime.us-west-2.amazonaws.com' }
    const site = cloudSite(
      { a: INVOKE, b: other },
      ({ url }) => streamed(url.includes('east') ? [bytesOf(VECTORS.exception)] : FRAMES),
      { routes: [{ model: '*', upstream: ['a', 'b'] }] },
    )
    const reply = await site.fetch('/v1/messages', STREAM)
    expect(await reply.text()).toContain('message_stop')
    expect(site.sent.map(({ url }) => new URL(url).hostname.split('.')[1])).toEqual([
      'us-east-1',
      'us-west-2',
    ])
  })

  it.each([
    [400, 'ValidationException', 'invalid_request_error'],
    [403, 'AccessDeniedException', 'permission_error'],
    [429, 'ThrottlingException', 'rate_limit_error'],
    [500, 'InternalServerException', 'api_error'],
  ])('a refusal with %d is told in the words of messages', async (status, type, word) => {
    const site = cloudSite({ c: INVOKE }, () =>
      answer({ message: 'because' }, status, {
        'x-amzn-errortype': type,
        'x-amzn-requestid': 'req-1',
      }),
    )
    const reply = await site.fetch('/v1/messages', STREAM)
    expect(reply.status).toBe(status)
    expect(await reply.json()).toMatchObject({
      type: 'error',
      error: { type: word, message: 'because' },
    })
    expect(reply.headers.get('x-upstream-request-id')).toBe('req-1')
  })

  it('estimates tokens, which it does not count', async () => {
    const site = siteOf([])
    const reply = await site.fetch('/v1/messages/count_tokens', {
      model: 'm',
      messages: ASKED.messages,
    })
    expect(reply.status).toBe(200)
    expect(site.sent).toEqual([])
  })

  it('is not sent what it refuses, passing or translated', async () => {
    const site = cloudSite({ c: INVOKE }, () => answer(MESSAGE))
    const image = { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } }
    const result = { type: 'tool_result', tool_use_id: 't', content: [image] }
    const reply = await site.fetch('/v1/messages', {
      ...ASKED,
      cache_control: { type: 'ephemeral' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi' }, image] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        { role: 'user', content: [result] },
      ],
      tools: [{ name: 'f', input_schema: {}, eager_input_streaming: true }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    const left = { type: 'text', text: '[https://pictures.example/a.png left out]' }
    expect(site.sent[0]?.body).toMatchObject({
      messages: [{ content: [{ text: 'hi' }, left] }, {}, { content: [{ content: [left] }] }],
      anthropic_beta: ['fine-grained-tool-streaming-2025-05-14'],
    })
    expect(site.sent[0]?.text).not.toMatch(/cache_control|eager_input|disable_parallel|"url"/)
    const losses = reply.headers.get('x-dragoman-losses')
    for (const lost of ['dropped parallelToolCalls', 'dropped turns.0.blocks.1'])
      expect(losses).toContain(lost)
    await site.fetch('/v1/responses', {
      model: 'm',
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url: 'https://pictures.example/a.png' }],
        },
      ],
      parallel_tool_calls: false,
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    })
    expect(site.sent[1]?.text).not.toMatch(/disable_parallel|"url"/)
  })
  it('is sent newer tools in place of the oldest, with their betas', async () => {
    const site = cloudSite({ c: INVOKE }, () => answer(MESSAGE))
    const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }
    const screen = { display_width_px: 8, display_height_px: 9 }
    const reply = await site.fetch(
      '/v1/messages',
      {
        ...ASKED,
        tools: [
          { type: 'bash_20241022', name: 'bash' },
          { type: 'text_editor_20241022', name: 'str_replace_editor' },
          { type: 'computer_20241022', name: 'computer', ...screen },
          search,
        ],
        tool_choice: { type: 'tool', name: 'str_replace_editor' },
      },
      { 'anthropic-beta': 'computer-use-2024-10-22' },
    )
    expect(site.sent[0]?.body).toMatchObject({
      tools: [
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        { type: 'computer_20250124', name: 'computer', ...screen },
        search,
      ],
      tool_choice: { type: 'tool', name: 'str_replace_based_edit_tool' },
      anthropic_beta: ['computer-use-2025-01-24', 'tool-search-tool-2025-10-19'],
    })
    const losses = reply.headers.get('x-dragoman-losses')
    expect(losses).toContain('approximated tools.str_replace_editor')
    expect(losses).not.toContain('dropped')
  })
})
