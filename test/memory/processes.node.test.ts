import { spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import OpenAI from 'openai'
import { afterAll, describe, expect, test } from 'vitest'
import { kits, PROVING } from '../dialects/index.ts'
import { type Command, emptyFolder } from '../node/command.ts'
import type { Dialect, Wire } from '../sdk/script.ts'
import { answer, speak } from '../sdk/stage.ts'
import { CLOSED_PORT } from '../ports.ts'
import { redisForTests } from '../stores/redis-server.ts'
import { MODEL } from '../sdk/script.ts'
import { expectWhole, reply, talk, TURNS } from './ten-turns.ts'

const KEY = 'caller-key-0123456789abcdef'
const there = spawnSync('redis-server', ['--version']).status === 0
if (!there)
  console.warn('\n*** SKIPPED: no two proxies share a Redis, there is no redis-server here ***\n')

const folder = emptyFolder()
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
  folder.remove()
})

/** A scripted upstream behind a real socket. */
async function upstream(dialect: Dialect): Promise<{ url: string; bodies: Wire[] }> {
  const bodies: Wire[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body: Wire = JSON.parse(text)
    bodies.push(body)
    const streams = kits[dialect].http.streams(request.url ?? '', body)
    const {
      status,
      headers,
      body: told,
    } = answer(speak(dialect, reply(dialect, bodies.length), MODEL, streams))
    response.writeHead(status, { 'content-type': headers.get('content-type') ?? '' })
    response.end(await new Response(told as ConstructorParameters<typeof Response>[0]).text())
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, bodies }
}

function proxy(dialect: Dialect, url: string, store: string): Command {
  const config = {
    upstreams: { scripted: { dialect, url, key: 'upstream-key' } },
    callers: { keys: [KEY] },
    state: { store },
  }
  return folder.run(['--port', '0'], { DRAGOMAN_CONFIG: JSON.stringify(config) })
}

const createClient = async (command: Command) =>
  new OpenAI({ apiKey: KEY, baseURL: `${await command.listening()}/v1`, maxRetries: 0 })

const WAYS = PROVING.filter((dialect) => dialect !== 'responses').flatMap((dialect) =>
  [true, false].map((stream) => ({ dialect, stream })),
)

describe.skipIf(!there)('two proxies on one Redis', () => {
  const redis = redisForTests()
  afterAll(() => redis.stop())

  test.each(WAYS)('take turns in one conversation: $dialect, stream $stream', async (way) => {
    const { url, bodies } = await upstream(way.dialect)
    const store = `redis://127.0.0.1:${await redis.port()}`
    const [one, other] = [proxy(way.dialect, url, store), proxy(way.dialect, url, store)]
    const clients = [await createClient(one), await createClient(other)] as const
    const client = (turn: number) => clients[turn % 2 === 0 ? 0 : 1]
    const responses = await talk({ client, model: 'any', stream: way.stream })
    expectWhole(way.dialect, bodies)
    const last = responses.at(-1)
    for (const each of clients)
      expect((await each.responses.retrieve(last?.id ?? '')).id).toBe(last?.id)
    await clients[0].responses.delete(last?.id ?? '')
    await expect(clients[1].responses.retrieve(last?.id ?? '')).rejects.toThrow('not found')
  })
})

describe('a proxy whose Redis is not there', () => {
  test.each(['1', '2'])(
    'says so once at its start, and in the log: --workers %s',
    async (count) => {
      const store = `redis://:the-password@127.0.0.1:${CLOSED_PORT}`
      const environment = {
        DRAGOMAN_STATE: store,
        DRAGOMAN_DIALECT: 'messages',
        DRAGOMAN_URL: 'http://127.0.0.1:9',
      }
      const command = folder.run(['--port', '0', '--workers', count], environment)
      const url = await command.listening()
      const kept = await fetch(`${url}/v1/responses/resp_0123456789abcdef00000001`)
      expect(kept.status).toBe(503)
      command.child.kill('SIGTERM')
      const { out, error } = await command.finished
      const why = 'the Redis state server is unavailable: ECONNREFUSED'
      expect(error.match(/^dragoman: .*state\.store.*/gm)).toEqual([
        expect.stringContaining(`state.store: ${why}; until it answers, nothing is kept`),
      ])
      expect(out).toContain(`"reason":"${why}"`)
    },
  )
})

describe('a proxy on SQLite', () => {
  test.each(WAYS)('goes on after it was killed: $dialect, stream $stream', async (way) => {
    const { url, bodies } = await upstream(way.dialect)
    const store = `sqlite:${join(folder.path, `${way.dialect}-${way.stream}.db`)}`
    let command = proxy(way.dialect, url, store)
    const client = async (turn: number) => {
      // No time to say goodbye: what was answered was kept before it was answered.
      if (turn % 3 === 0) {
        command.child.kill('SIGKILL')
        await command.finished
        command = proxy(way.dialect, url, store)
      }
      return createClient(command)
    }
    await talk({ client, model: 'any', stream: way.stream })
    expectWhole(way.dialect, bodies)
    expect(bodies).toHaveLength(TURNS)
    expect(command.printed().error).toMatch(/state +sqlite:\S+, for 30 days/)
  })

  test.each(['1', '2'])(
    'may be started again where its file is locked: --workers %s',
    async (count) => {
      const file = join(folder.path, `locked-${count}.db`)
      const other = new DatabaseSync(file)
      other.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b); BEGIN EXCLUSIVE')
      const environment = { DRAGOMAN_STATE: `sqlite:${file}` }
      const { code, error } = await folder.run(['--port', '0', '--workers', count], environment)
        .finished
      expect(code).toBe(1)
      expect(error).toMatch(/^dragoman: .*DRAGOMAN_STATE: .*: another process has it for itself\n$/)
      other.close()
    },
  )

  test('says in one line that its file cannot be opened', async () => {
    const { code, error } = await proxy(
      'messages',
      'http://127.0.0.1:9',
      'sqlite:/nowhere/at/all.db',
    ).finished
    expect(code).toBe(78)
    expect(error).toMatch(/^dragoman: .*state\.store: .+\n$/)
  })
})
