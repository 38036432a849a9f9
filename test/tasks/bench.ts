import { wholeBytes } from '../../src/json/bytes.ts'
import { PROCESS_LIMITS, TIMEOUTS } from '../../src/config/defaults.ts'
import type { Send, UpstreamRequest, UpstreamResponse } from '../../src/ports.ts'
import type { Settings, TaskSettings } from '../../src/config/settings.ts'
import { createHandler } from '../../src/http/app.ts'
import { tasks } from '../../src/extras/tasks/tasks.ts'
import { createApp } from '../../src/http/hono-app.ts'
import type { LogEntry } from '../../src/observe/entry.ts'

export const TASK_KEY = 'task-key-3141592653589793'
export const CALLER_KEY = 'caller-key-2718281828459045'

/** What a service was sent, with its body read to the end. */
export type Sent = Omit<UpstreamRequest, 'body'> & { body: Uint8Array }

export interface TaskBench {
  call(path: string, init?: RequestInit): Promise<Response>
  readonly sent: Sent[]
  readonly log: LogEntry[]
}

export interface TaskBenchOptions {
  /** Answers without looking at the body; the default reads it and answers 200. */
  send?: Send
  task?: Partial<TaskSettings>
  settings?: Partial<Settings>
}

const NO_SERVICE: Settings = {
  upstreams: new Map(),
  routes: [],
  callers: { kind: 'keys', keys: [CALLER_KEY] },
  tasks: {},
  state: 'memory',
  losses: 'report',
  limits: PROCESS_LIMITS,
  origin: 'test',
}

const service = (host: string, prefix: string, task: Partial<TaskSettings> = {}): TaskSettings => ({
  base: `https://${host}`,
  key: { kind: 'literal', value: TASK_KEY },
  prefix,
  timeouts: { ...TIMEOUTS, jsonMs: 300, idleMs: 300 },
  ...task,
})

type Given = [settings: Partial<Settings>, send: Send, log?: LogEntry[]]

const makeParts = (...[settings, send, log = []]: Given): Parameters<typeof createHandler> => [
  { ...NO_SERVICE, ...settings },
  {
    send,
    now: Date.now,
    randomId: () => '0'.repeat(32),
    log: (entry) => log.push(entry),
    tasks,
  },
]

/** The proxy with task services and nothing else, as an app, and as a server wants it. */
const taskApp = (...given: Given) => createApp(...makeParts(...given))
export const taskAnswerer = (...given: Given) => createHandler(...makeParts(...given))

/** The proxy in front of two scripted services. */
export function taskBench(options: TaskBenchOptions = {}): TaskBench {
  const sent: Sent[] = []
  const log: LogEntry[] = []
  const answer: Send = options.send ?? (async () => reply('{"code":1}'))
  const settings: Partial<Settings> = {
    tasks: {
      image: service('image.example', '/img', options.task),
      music: service('music.example', '/music', options.task),
    },
    ...options.settings,
  }
  const send: Send = async (request) => {
    const body = options.send ? new Uint8Array() : await bytesOf(request.body)
    sent.push({ ...request, body })
    return answer(request)
  }
  const app = taskApp(settings, send, log)
  return {
    sent,
    log,
    call: async (path, init = {}) => {
      const headers = new Headers(init.headers)
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${CALLER_KEY}`)
      return app.fetch(new Request(`http://proxy.example${path}`, { ...init, headers }))
    },
  }
}

export const post = (
  body: RequestInit['body'],
  headers: Record<string, string> = {},
): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: body ?? null,
  duplex: 'half',
})

export const reply = (
  body: string | Uint8Array | ReadableStream<Uint8Array> | null,
  status = 200,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): UpstreamResponse => ({
  status,
  headers: new Headers(headers),
  body: body === null || body instanceof ReadableStream ? body : streamOf([bytes(body)]),
})

export const bytes = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string' ? new TextEncoder().encode(value) : value

/** The pieces one by one, each only when it is wanted. */
export function streamOf(pieces: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.iterator]()
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

export async function bytesOf(body: UpstreamRequest['body']): Promise<Uint8Array> {
  if (!(body instanceof ReadableStream)) return wholeBytes(body ?? [])
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(part)
  return new Uint8Array(await new Blob(parts.map((part) => new Uint8Array(part))).arrayBuffer())
}

/** A service that never answers, and notices when it is given up. */
export function hangingSend(): { send: Send; aborted: Promise<void> } {
  let noticed: (() => void) | undefined
  const aborted = new Promise<void>((resolve) => (noticed = resolve))
  const send: Send = ({ signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        noticed?.()
        reject(new Error('aborted'))
      }),
    )
  return { send, aborted }
}
