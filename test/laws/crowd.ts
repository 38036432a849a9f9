import { dialects } from '../../adapters/index.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { ConnectError, type UpstreamResponse } from '../../src/ports.ts'
import { createLoad } from '../../src/http/admission/load.ts'
import { sseParser } from '../../src/stream/sse.ts'
import { eventIn, type Voice } from '../faults/voices.ts'
import { proxyOf, type Proxy } from '../exchange/proxy.ts'

/** Both ends of one exchange, moved step by step: what its upstream does and what its caller does. */
export interface Line {
  readonly caller: Voice
  readonly stream: boolean
  /** How often a connection was asked for, and how often there was none. */
  sends: number
  refusals: number
  /** The upstream has the request, and nobody has told it to stop. */
  open: boolean
  /** Every byte of the reply was handed over, and then the end. */
  whole: boolean
  /** How the reply ended was handed over, and something was to come behind it. */
  told: boolean
  /** Something happened that may break the exchange. */
  excused: boolean
  left: boolean
  status: number
  text: string
  ended: boolean
  /** The upstream answers, refuses the connection or loses it. */
  head(): void
  refuse(): void
  lose(): void
  feed(bytes: number): void
  breakOff(): void
  end(): void
  /** The caller takes one piece, all there is, or goes. */
  read(): void
  drain(): Promise<void>
  leave(how: 'abort' | 'cancel'): void
}

export const MOST = 6

export interface Crowd {
  proxy: Proxy
  lines: Line[]
  /** What the proxy believes to carry. */
  load: { exchanges: number; bytes(): number; most: number }
  /** Who still waits to hear of the end of the process. */
  listeners: Set<unknown>
  ask(caller: Voice, upstream: Voice, stream: boolean): void
  stop(): void
}

/** The proxy with upstreams and callers that do nothing by themselves. */
export function crowd(): Crowd {
  const lines: Line[] = []
  const wires: Wire[] = []
  const load = { exchanges: 0, bytes: () => shared.held(), most: 0 }
  const shared = counted(load)
  const { controller, listeners } = countedSignal()
  const proxy = proxyOf(
    ({ url, body, signal }) => {
      const text = url + new TextDecoder().decode(body as Uint8Array)
      const wire = wires[Number(/crowd-(\d+)/.exec(text)?.[1])]
      if (!wire) throw new Error('nobody asked for this')
      return wire.connect(signal)
    },
    {
      routes: dialects.list.map(({ dialect }) => ({ model: `${dialect}--*`, upstream: dialect })),
      limits: { streams: MOST },
      upstreams: dialects.list.map(({ dialect }) => dialect),
    },
    { dialects, load: shared, deadline: controller.signal },
  )
  return {
    proxy,
    lines,
    load,
    listeners,
    ask(caller, upstream, stream) {
      const wire = openWire(upstream, stream, lines.length)
      wires.push(wire)
      lines.push(openLine(proxy, caller, wire, `${upstream.dialect}--crowd-${lines.length}`))
    },
    stop: () => controller.abort(),
  }
}

/** The load as the proxy counts it, counted once more. */
function counted(load: Crowd['load']): ReturnType<typeof createLoad> {
  const real = createLoad({ ...PROCESS_LIMITS, streams: MOST })
  return {
    ...real,
    enter() {
      const leave = real.enter()
      load.exchanges += 1
      load.most = Math.max(load.most, load.exchanges)
      return () => {
        load.exchanges -= 1
        leave()
      }
    },
    lease: () => real.lease(),
    held: () => real.held(),
  }
}

function countedSignal() {
  const controller = new AbortController()
  const listeners = new Set<unknown>()
  const { signal } = controller
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1])
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1])
    remove(...args)
  }
  return { controller, listeners }
}

type Moves = Pick<Line, 'head' | 'refuse' | 'lose' | 'feed' | 'breakOff' | 'end'>
type Fate = Pick<Line, 'stream' | 'sends' | 'refusals' | 'open' | 'whole' | 'told' | 'excused'>

interface Wire extends Moves, Fate {
  connect(signal: AbortSignal): Promise<UpstreamResponse>
}

/** The upstream's end: a reply that comes byte by byte, as it is told to. */
function openWire(voice: Voice, stream: boolean, index: number): Wire {
  const own = (text: string) => text.replaceAll('Hel', `canary-${index}-`)
  const all = new TextEncoder().encode(own(stream ? voice.opening + voice.closing : voice.whole))
  let settle: { resolve(response: UpstreamResponse): void; reject(error: Error): void } | undefined
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let fed = 0
  const over = () => {
    wire.open = false
    controller = undefined
  }
  const body = () =>
    new ReadableStream<Uint8Array>({ start: (own) => void (controller = own), cancel: over })
  const type = stream ? 'text/event-stream' : 'application/json'
  const fail = (error: Error) => {
    if (settle) wire.excused = true
    settle?.reject(error)
    settle = undefined
    wire.open = false
  }
  const wire: Wire = {
    stream,
    sends: 0,
    refusals: 0,
    open: false,
    whole: false,
    told: false,
    excused: false,
    connect(signal) {
      wire.sends += 1
      wire.open = true
      signal.addEventListener('abort', () => {
        over()
        settle?.reject(new Error('aborted'))
        settle = undefined
      })
      return new Promise((resolve, reject) => {
        settle = { resolve, reject }
      })
    },
    head() {
      const headers = new Headers({ 'content-type': type })
      settle?.resolve({ status: 200, headers, body: body() })
      settle = undefined
    },
    refuse() {
      if (settle) wire.refusals += 1
      fail(new ConnectError('refused'))
    },
    lose: () => fail(new Error('lost')),
    feed(bytes) {
      if (!controller || fed === all.length) return
      controller.enqueue(all.slice(fed, fed + bytes))
      fed = Math.min(all.length, fed + bytes)
      wire.told = stream && isTold(voice, new TextDecoder().decode(all.slice(0, fed)))
      if (fed === all.length) wire.end()
    },
    breakOff() {
      if (!controller) return
      controller.error(new Error('lost'))
      wire.excused = true
      over()
    },
    end() {
      if (!controller) return
      controller.close()
      // An event without its final blank line counts.
      wire.whole = new TextDecoder().decode(all.slice(fed)).trim() === ''
      wire.excused ||= !wire.whole
      over()
    },
  }
  return wire
}

function openLine(proxy: Proxy, caller: Voice, wire: Wire, model: string): Line {
  const { stream } = wire
  const gone = new AbortController()
  const decoder = new TextDecoder()
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let reading: Promise<void> | undefined
  const asked = async () => {
    const response = await proxy.fetch(caller.path(model, stream), {
      body: caller.request(model, stream),
      headers: { 'anthropic-version': '2023-06-01' },
      signal: gone.signal,
    })
    line.status = response.status
    reader = response.body?.getReader()
  }
  const take = async (): Promise<void> => {
    if (!reader || line.ended) return
    const { done, value } = await reader.read()
    line.text += decoder.decode(value, { stream: !done })
    if (done) line.ended = true
  }
  const line: Line = Object.assign(wire, {
    caller,
    left: false,
    status: 0,
    text: '',
    ended: false,
    read() {
      reading ??= take().finally(() => (reading = undefined))
    },
    async drain() {
      await answer
      while (!line.ended && !line.left) await (reading ?? take())
    },
    leave(how: 'abort' | 'cancel') {
      if (line.ended) return
      line.left = true
      // Who has no answer yet has nothing to cancel.
      if (how === 'cancel' && reader) void reader.cancel()
      else gone.abort()
    },
  })
  const answer = asked()
  return line
}

const eventsIn = (text: string) => {
  const parser = sseParser(1_000_000)
  return [...parser.push(text), ...parser.end()].map(eventIn)
}

/** Whether a piece of a stream says how the reply ended, with more to come: without that it is whole, or broken. */
const isTold = ({ closing, isTerminal }: Voice, text: string): boolean => {
  const last = eventsIn(closing).findLast((event) => event !== undefined)
  if (!last || isTerminal(last)) return false
  return eventsIn(text).some((event) => event !== undefined && isTerminal(event))
}

/** How a caller's stream ended: with how many successes and how many failures. */
export function endsOf({ caller, text }: Line): { successes: number; failures: number } {
  const events = eventsIn(text)
  const count = (is: (event: NonNullable<(typeof events)[number]>) => boolean) =>
    events.filter((event) => event && is(event)).length
  return { successes: count(caller.isTerminal), failures: count(caller.isError) }
}
