import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { adapters } from '../../adapters/index.ts'
import { readSettings } from '../../src/config/config.ts'
import type { Config } from '../../src/config/type.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { isObject, type JsonObject } from '../../src/json/json.ts'
import { memoryStore } from '../../src/memory/stores/memory.ts'
import { lineFile } from '../../src/node/record/file.ts'
import { recordExchanges } from '../../src/node/record/recorder.ts'
import { verifyFile } from '../../src/node/record/verify.ts'
import { placing } from '../../src/extras/places/placing.ts'
import { ConnectError, randomId, type Send } from '../../src/ports.ts'
import { DEFAULT_RETENTION } from '../../src/config/defaults.ts'
import { voices } from '../faults/voices.ts'
import { voiceOf } from '../pools/site.ts'
import { records } from '../replay/records.ts'
import { emptyFolder } from '../node/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-record-'))
afterAll(() => rmSync(folder, { recursive: true }))

const UPSTREAM_KEY = 'upstream-secret-0123456789'
const CALLER_KEY = 'caller-secret-0123456789'
const STRANGER = 'somebody-elses-0123456789'

const config = (more: Partial<Config> = {}): Config => ({
  upstreams: Object.fromEntries(
    DIALECTS.map((dialect) => [
      dialect,
      { dialect, url: `http://demo.invalid/${dialect}`, key: UPSTREAM_KEY },
    ]),
  ),
  routes: DIALECTS.map((dialect) => ({ model: `${dialect}/*`, upstream: dialect, as: '*' })),
  callers: { keys: [{ name: 'ci', key: CALLER_KEY }] },
  ...more,
})

interface Asked {
  dialect: string
  model: string
  stream?: boolean
  key?: string
  headers?: Record<string, string>
  body?: object
}

/** A proxy that writes a record; `write` resolves with its file when all lines are there. */
function recording(written: Config, given?: Send, bodies = true) {
  const lines: string[] = []
  let dropped = 0
  const own = demoSend(adapters, () => Promise.reject(new ConnectError()))
  const answer = createHandler(readSettings(written, {}), {
    send: given ?? own,
    now: Date.now,
    randomId,
    log: () => undefined,
    placing,
    store: memoryStore(DEFAULT_RETENTION),
    inspector: recordExchanges({
      bodies,
      secrets: () => [UPSTREAM_KEY, CALLER_KEY],
      write: (line) => lines.push(line),
      dropped: () => (dropped += 1),
    }),
  })
  return {
    lines,
    dropped: () => dropped,
    async ask({ dialect, model, stream = false, key = CALLER_KEY, headers, body }: Asked) {
      const voice = voiceOf(dialect)
      const request = new Request(`http://127.0.0.1${voice.path(model, stream)}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          authorization: `Bearer ${key}`,
          ...headers,
        },
        body: JSON.stringify({ ...voice.request(model, stream), ...body }),
      })
      return toResponse(await answer(request)).text()
    },
    async write(): Promise<string> {
      await new Promise((resolve) => setTimeout(resolve, 20))
      const file = join(folder, `${randomId()}.jsonl`)
      writeFileSync(file, lines.join(''))
      return file
    },
  }
}

async function verified(file: string, now: Config): Promise<{ isSame: boolean; said: string }> {
  let said = ''
  const write = (text: string) => (said += text)
  const isSame = await verifyFile(file, readSettings(now, {}), { directory: '/', write })
  return { isSame, said }
}

const objectIn = (line = '{}'): JsonObject => {
  const value: unknown = JSON.parse(line)
  if (!isObject(value)) throw new Error('a line is an object')
  return value
}

describe('a record', () => {
  it('repeats every pair, as JSON and as a stream, byte for byte', async () => {
    const proxy = recording(config())
    for (const { dialect } of voices)
      for (const upstream of DIALECTS)
        for (const stream of [false, true])
          await proxy.ask({ dialect, model: `${upstream}/m-1`, stream })
    const file = await proxy.write()
    expect(proxy.lines).toHaveLength(2 * DIALECTS.length ** 2)
    const { isSame, said } = await verified(file, config())
    expect(said).toMatch(/^32 exchanges repeated with \S+: 32 as they were, 0 otherwise\n$/)
    expect(isSame).toBe(true)
  })

  it('is read by the replay, and holds no key', async () => {
    const proxy = recording(config({ callers: 'open' }))
    for (const upstream of DIALECTS)
      await proxy.ask({ dialect: 'messages', model: `${upstream}/m-1`, key: STRANGER })
    const file = await proxy.write()
    const text = readFileSync(file, 'utf8')
    for (const key of [UPSTREAM_KEY, CALLER_KEY, STRANGER]) expect(text).not.toContain(key)
    const own = mkdtempSync(join(folder, 'replay-'))
    writeFileSync(join(own, 'x.jsonl'), text)
    const read = []
    for await (const record of records(own, undefined, (bad) => expect(bad).toBeUndefined()))
      read.push(record)
    expect(read.map(({ dialect }) => dialect)).toEqual(DIALECTS)
    for (const record of read)
      expect(record).toMatchObject({ operation: 'create', model: 'm-1', status: 200 })
    for (const record of read) expect(isObject(record.body)).toBe(true)
    expect(objectIn(proxy.lines[1])['caller']).toMatchObject({
      name: 'open',
      dialect: 'messages',
      request: { method: 'POST', path: '/v1/messages', body: { model: `${DIALECTS[1]}/m-1` } },
      response: { status: 200, body: { type: 'message' } },
    })
  })

  it('repeats sessions, whoever named them, and conversations that refer to earlier ones', async () => {
    for (const callers of ['open' as const, config().callers ?? 'open']) {
      const proxy = recording(config({ callers }))
      const headers = { 'x-session-id': 'session-one' }
      await proxy.ask({ dialect: 'messages', model: 'chat-completions/m', headers })
      const kept = { store: true }
      const said = await proxy.ask({ dialect: 'responses', model: 'messages/m', body: kept })
      const previous = /"id":"(resp_\w+)"/.exec(said)?.[1]
      const body = { ...kept, previous_response_id: previous }
      expect(await proxy.ask({ dialect: 'responses', model: 'messages/m', body })).toContain(
        '"completed"',
      )
      const file = await proxy.write()
      expect(await verified(file, config({ callers }))).toMatchObject({ isSame: true })
      const [, , last = ''] = proxy.lines
      writeFileSync(file, last)
      expect((await verified(file, config({ callers }))).said).toContain(
        'not repeated: it refers to what is not in the record',
      )
    }
  })

  it('repeats failures and those who were asked after them', async () => {
    let asked = 0
    const own = demoSend(adapters, () => Promise.reject(new ConnectError()))
    const send: Send = async (request) => {
      asked += 1
      if (asked === 1) throw new ConnectError()
      if (asked === 2)
        return { status: 503, headers: new Headers(), body: new Response('<p>Busy</p>').body }
      return own(request)
    }
    const pooled = config({
      routes: [{ model: '*', upstream: ['responses', 'messages', 'chat-completions'] }],
    })
    const proxy = recording(pooled, send)
    await proxy.ask({ dialect: 'messages', model: 'm' })
    await proxy.ask({ dialect: 'messages', model: 'm' })
    const file = await proxy.write()
    expect(objectIn(proxy.lines[0])['earlier']).toHaveLength(2)
    expect(await verified(file, pooled)).toMatchObject({ isSame: true })
  })

  it.each<[string, (line: string) => string, Partial<Config>, RegExp]>([
    [
      'a reply that was another one',
      (line) => line.replaceAll('You said', 'You sang'),
      {},
      /the reply differs at character \d+\n {2}was .*You sang.*\n {2}is .*You said/,
    ],
    [
      'another model',
      (line) => line,
      { routes: [{ model: '*', upstream: 'responses', as: 'big' }] },
      /the request differs at character \d+\n {2}was .*m-1.*\n {2}is .*big/,
    ],
    [
      'another upstream',
      (line) => line,
      { routes: [{ model: '*', upstream: 'messages' }] },
      /the upstream differs at character 1\n {2}was "responses \(responses\)"\n {2}is {2}"messages/,
    ],
    [
      'nobody',
      (line) => line,
      { routes: [{ model: 'x', upstream: 'messages' }] },
      /the upstream differs/,
    ],
  ])('says what would come out otherwise: %s', async (_, change, more, words) => {
    const proxy = recording(config())
    await proxy.ask({ dialect: 'messages', model: 'responses/m-1' })
    const file = await proxy.write()
    // Of the caller's side alone: what the upstream said is what is translated.
    const [line = ''] = proxy.lines
    const at = line.indexOf('"caller":')
    writeFileSync(file, line.slice(0, at) + change(line.slice(at)))
    const { isSame, said } = await verified(file, config(more))
    expect(said).toMatch(words)
    expect(said).toContain(' (messages > responses, m-1): ')
    expect(isSame).toBe(false)
  })

  it('says what cannot be repeated, which is no difference', async () => {
    const proxy = recording(config(), undefined, false)
    await proxy.ask({ dialect: 'messages', model: 'responses/m-1' })
    const file = await proxy.write()
    writeFileSync(file, `${proxy.lines.join('')}{"id":"half\n\n`)
    const { isSame, said } = await verified(file, config())
    expect(said.split('\n')).toEqual([
      expect.stringMatching(/:1 .*: not repeated: it was recorded without bodies$/),
      expect.stringMatching(/:2: not repeated: is no JSON$/),
      expect.stringMatching(/^0 exchanges repeated .*; 2 not repeated$/),
      '',
    ])
    expect(isSame).toBe(true)
  })

  it('has nothing of what went to no upstream', async () => {
    const proxy = recording(config())
    await proxy.ask({ dialect: 'messages', model: 'unknown' })
    await proxy.ask({ dialect: 'messages', model: 'responses/m', key: STRANGER })
    await proxy.write()
    expect([proxy.lines, proxy.dropped()]).toEqual([[], 0])
  })
})

describe('the file of a record', () => {
  const told: [number, string][] = []
  const bounds = (maxBytes: number) => ({
    maxBytes,
    tell: (dropped: number, why: string) => void told.push([dropped, why]),
    now: () => 0,
  })

  it('is for this user alone, and grows to its bound', async () => {
    const path = join(folder, 'bounded.jsonl')
    writeFileSync(path, 'before\n')
    chmodSync(path, 0o644)
    const file = await lineFile(path, bounds(30))
    for (const line of ['one-------\n', 'two-------\n', 'three-----\n']) file.write(line)
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe('before\none-------\ntwo-------\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(told.splice(0)).toEqual([[1, 'the file is as large as record.maxBytes']])
  })

  it('holds nobody up where the disk is full, and counts what it lost', async () => {
    const file = await lineFile('/dev/full', bounds(1e9))
    for (let each = 0; each < 100; each += 1) file.write('x\n')
    await file.close()
    expect(told.splice(0).reduce((sum, [dropped]) => sum + dropped, 0)).toBe(100)
  })

  it('holds no more lines than there is memory for', async () => {
    const path = join(folder, 'slow.jsonl')
    const file = await lineFile(path, bounds(1e9))
    const long = `${'x'.repeat(4 * 1024 * 1024)}\n`
    // Nothing is written before this turn is over.
    for (let each = 0; each < 10; each += 1) file.write(long)
    await file.close()
    expect(told.splice(0).reduce((sum, [dropped]) => sum + dropped, 0)).toBe(3)
    expect(statSync(path).size).toBe(7 * long.length)
  })
})

describe('the command', () => {
  const own = emptyFolder()
  afterAll(() => own.remove())

  it('records what passes, and verifies it', async () => {
    own.write(
      'dragoman.json',
      JSON.stringify({ ...config({ callers: 'open' }), record: { file: 'exchanges.jsonl' } }),
    )
    const proxy = own.run(['--port', '0'])
    const url = await proxy.listening()
    const voice = voiceOf('responses')
    const answer = await fetch(url + voice.path('messages/m-1', true), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(voice.request('messages/m-1', true)),
    })
    expect(await answer.text()).toContain('response.completed')
    proxy.child.kill('SIGTERM')
    await proxy.finished
    const path = join(own.path, 'exchanges.jsonl')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const verify = await own.run(['verify', 'exchanges.jsonl']).finished
    expect(verify).toMatchObject({ code: 0, error: '' })
    expect(verify.out).toContain('1 as they were, 0 otherwise')
    own.write('exchanges.jsonl', readFileSync(path, 'utf8').replaceAll('Hello', 'Hallo'))
    expect((await own.run(['verify', 'nothing.jsonl']).finished).code).toBe(1)
    expect((await own.run(['verify']).finished).code).toBe(78)
    const line = readFileSync(path, 'utf8')
    const at = line.indexOf('"caller":')
    const changed = line.slice(at).replaceAll('response.completed', 'response.ended')
    own.write('exchanges.jsonl', line.slice(0, at) + changed)
    const other = await own.run(['verify', 'exchanges.jsonl']).finished
    expect(other.code).toBe(1)
    expect(other.out).toContain('the reply differs at character')
  })
})
