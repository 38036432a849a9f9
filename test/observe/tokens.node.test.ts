import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { adapters } from '../../adapters/index.ts'
import type { Adapter } from '../../adapters/contract.ts'
import { readSettings } from '../../src/config/config.ts'
import { writeSample } from '../../src/exchange/sample.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { isObject, type Json, objectIn, stringify } from '../../src/json/json.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { createObserver } from '../../src/observe/observer.ts'
import { randomId } from '../../src/ports.ts'
import { records } from '../replay/records.ts'

/** A reply as its upstream sent it. */
interface Said {
  name: string
  dialect: string
  text: string
  stream: boolean
}

/** Every JSON document of a reply, in order. */
const documentsIn = ({ text, stream }: Said): Json[] =>
  (stream
    ? text.split(/\r?\n/).flatMap((line) => /^data: ?(\{.*)$/.exec(line)?.[1] ?? [])
    : [text]
  ).flatMap((json) => {
    try {
      return [JSON.parse(json)]
    } catch {
      return []
    }
  })

const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
const sum = (usage: Json, ...names: string[]): number =>
  names.reduce((total, name) => total + numberOf(objectIn(usage)[name]), 0)

/** What an upstream says that it counted, by its documentation: in and out, the cache and the reasoning within. */
function countedBy(said: Said): [number, number] | undefined {
  let usage: Json | undefined
  for (const document of documentsIn(said)) {
    const { message, response, usage: own, usageMetadata } = objectIn(document)
    const found =
      own ?? usageMetadata ?? objectIn(message)['usage'] ?? objectIn(response)['usage'] ?? null
    // Of messages the later events say only what has changed.
    if (isObject(found)) usage = { ...objectIn(usage), ...found }
  }
  if (!isObject(usage)) return undefined
  if ('totalTokenCount' in usage || 'promptTokenCount' in usage) {
    const output = sum(usage, 'candidatesTokenCount', 'thoughtsTokenCount')
    const input = sum(usage, 'promptTokenCount', 'toolUsePromptTokenCount')
    // A part that is left out is what the total has besides.
    const isWhole = 'promptTokenCount' in usage
    return [isWhole ? input : sum(usage, 'totalTokenCount') - output, output]
  }
  if ('prompt_tokens' in usage)
    return [sum(usage, 'prompt_tokens'), sum(usage, 'completion_tokens')]
  const isExclusive = said.dialect === 'messages'
  const cache = isExclusive ? ['cache_read_input_tokens', 'cache_creation_input_tokens'] : []
  return [sum(usage, 'input_tokens', ...cache), sum(usage, 'output_tokens')]
}

/** What the log says of a reply, asked for in a dialect. */
async function logged(said: Said, caller: Adapter): Promise<LogEntry | undefined> {
  const settings = readSettings(
    { upstreams: { up: { dialect: said.dialect, url: 'https://up.example' } } },
    {},
  )
  const log: LogEntry[] = []
  const observer = createObserver({ version: '1', runtime: 'node' }, () => 0)
  const { answer } = createReplaceable(settings, {
    send: async () => {
      const type = said.stream ? 'text/event-stream' : 'application/json'
      const response = new Response(said.text, { headers: { 'content-type': type } })
      return { status: 200, headers: response.headers, body: response.body }
    },
    now: () => 0,
    randomId,
    log: (entry) => log.push(entry),
    observer,
  })
  const { path, query, headers, body } = writeSample(caller, 'm', said.stream)
  const request = new Request(`http://127.0.0.1${path}${query ? `?${query}` : ''}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: stringify(body),
  })
  await toResponse(await answer(request)).text()
  const [entry] = log
  // The running count is the same.
  const { callers } = observer.usage() as { callers: Record<string, { input: number }> }
  expect(callers['open']?.input ?? 0).toBe(entry?.usage?.input ?? 0)
  return entry
}

/** Replies of which the log says something else than their upstream. */
async function wrong(replies: readonly Said[]): Promise<string[]> {
  const found: string[] = []
  for (const said of replies) {
    const counted = countedBy(said)
    if (!counted) continue
    for (const caller of adapters) {
      const entry = await logged(said, caller)
      // What is refused as no reply has no count either.
      if (entry?.outcome !== 'ok') continue
      const { input = 0, output = 0 } = entry.usage ?? {}
      if (input !== counted[0] || output !== counted[1])
        found.push(
          `${said.name} to ${caller.dialect}: ${input}+${output}, not ${counted.join('+')}`,
        )
    }
  }
  return found
}

const written = adapters.flatMap(({ dialect }): Said[] => {
  const folder = `fixtures/${dialect}/reply`
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.map((name) => ({
    name: `${dialect}/${name}`,
    dialect,
    text: readFileSync(`${folder}/${name}`, 'utf8'),
    stream: name.endsWith('.sse'),
  }))
})

describe('the count of tokens', () => {
  it('is that of the upstream, to the token, in every dialect', async () => {
    expect(written.length).toBeGreaterThan(3)
    expect(await wrong(written)).toEqual([])
  })

  const corpus = '../shared/corpus'
  it.skipIf(!existsSync(corpus))(
    'is that of the upstream in recorded replies too',
    async () => {
      const replies: Said[] = []
      for await (const { id, dialect, operation, status, body, sse } of records(
        corpus,
        300,
        () => {},
      )) {
        const text = sse ?? (body === undefined ? undefined : stringify(body))
        if (operation !== 'create' || status !== 200 || text === undefined) continue
        replies.push({ name: id, dialect, text, stream: sse !== undefined })
      }
      expect(replies.length).toBeGreaterThan(100)
      expect(await wrong(replies)).toEqual([])
    },
    120_000,
  )
})
