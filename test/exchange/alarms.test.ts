import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { tasks } from '../../src/extras/tasks/tasks.ts'
import type { AppPorts } from '../../src/http/app-context.ts'
import { alarm, type MakeAlarm } from '../../src/stream/time.ts'
import { bodyTexts } from '../bench/requests.ts'
import { DIALECTS } from '../bench/shared.ts'
import { kits } from '../dialects/index.ts'

/** Alarms that count how many were made, and how many of them were not closed. */
function counted(): { make: MakeAlarm; made: number; open: Set<object> } {
  const open = new Set<object>()
  const counts = {
    made: 0,
    open,
    make: (ring: () => void) => {
      const inner = alarm(ring)
      counts.made += 1
      open.add(inner)
      const close = (): void => {
        open.delete(inner)
        inner.close()
      }
      return {
        set: inner.set.bind(inner),
        setAt: inner.setAt.bind(inner),
        stop: inner.stop.bind(inner),
        close,
      }
    },
  }
  return counts
}

/** A body that comes in these pieces. */
function bodyOf(pieces: readonly string[]) {
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece))
  return { read: async () => bytes.shift(), cancel() {} }
}

type Handler = ReturnType<typeof createReplaceable>['answer']

async function taken(handler: Handler, request: Request): Promise<number> {
  const { status, body } = await handler(request)
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return status
  for (let piece = await body.read(); piece; piece = await body.read());
  return status
}

const pairs = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => [caller, upstream] as const))

/** A proxy whose services answer with these pieces, and its alarms. */
function stage(config: object, type: string, pieces: readonly string[]) {
  const alarms = counted()
  const ports: AppPorts = {
    tasks,
    now: Date.now,
    randomId: () => '0'.repeat(32),
    log: () => undefined,
    alarm: alarms.make,
    send: async () => ({
      status: 200,
      headers: new Headers({ 'content-type': type }),
      body: bodyOf(pieces),
    }),
  }
  const settings = readSettings({ callers: 'open', ...config }, {})
  return { alarms, handler: createReplaceable(settings, ports).answer }
}

const KEY = 'a-key-of-the-service'
const ORIGIN = 'https://proxy.example'

describe('alarms that a runtime makes', () => {
  it.each(pairs)('serve the call and the stream: %s over %s', async (caller, upstream) => {
    const { opening, delta, closing } = kits[upstream].bench.reply
    const service = { dialect: upstream, url: 'https://upstream.example', key: KEY }
    const config = { upstreams: { service }, routes: [{ model: '*', upstream: 'service' }] }
    const pieces = [...opening, delta('word', 0), ...closing(1)]
    const { alarms, handler } = stage(config, 'text/event-stream', pieces)
    const [body] = bodyTexts({ caller, prompt: 'small', model: 'a-model', stream: true })
    const { http } = kits[caller]
    const request = new Request(ORIGIN + http.path('a-model', true), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...http.credentials('any') },
      body: body ?? null,
    })
    expect(await taken(handler, request)).toBe(200)
    expect([alarms.made, alarms.open.size]).toEqual([2, 0])
  })

  it('serve the call and a long answer of a task service', async () => {
    const config = { tasks: { image: { url: 'https://image.example', key: KEY } } }
    const pieces = ['"', 'x'.repeat(100_000), '"']
    const { alarms, handler } = stage(config, 'application/json', pieces)
    const request = new Request(`${ORIGIN}/img/task/1/fetch`)
    expect(await taken(handler, request)).toBe(200)
    expect([alarms.made, alarms.open.size]).toEqual([2, 0])
  })
})
