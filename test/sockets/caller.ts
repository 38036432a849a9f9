import { isObject, parseObject, type JsonObject } from '../../src/json/json.ts'
import type { Accept } from '../../src/ports.ts'

/** The caller's end of a socket, over whatever carries it. */
export interface Line {
  send(text: string): void
  close(code?: number): void
  /** Called once, before anything is sent. */
  listen(heard: (text: string) => void, closed: (code: number) => void): void
}

const ignored = (): void => undefined

/** A socket without a network: each message arrives in a turn of its own. */
export function pairOf(accept: Accept): Line {
  let heard: (text: string) => void = ignored
  let closed: (code: number) => void = ignored
  let isOpen = true
  const end = (code: number) => {
    if (!isOpen) return
    isOpen = false
    closed(code)
  }
  const listener = accept({
    send(text) {
      if (isOpen) heard(text)
      return undefined
    },
    close: (code) => end(code),
  })
  return {
    send: (text) => queueMicrotask(() => listener.heard(text)),
    close(code = 1000) {
      end(code)
      listener.left(code)
    },
    listen(hear, close) {
      heard = hear
      closed = close
    },
  }
}

const ENDS: ReadonlySet<unknown> = new Set([
  'error',
  'response.completed',
  'response.failed',
  'response.incomplete',
  'response.steer.failed',
])

/** A caller of WebSocket mode. */
export class SocketCaller {
  readonly events: JsonObject[] = []
  readonly texts: string[] = []
  code: number | undefined
  /** Called with each message. */
  heard: ((text: string) => void) | undefined
  readonly #line: Line
  #wake: (() => void)[] = []

  constructor(line: Line) {
    this.#line = line
    line.listen(
      (text) => {
        this.texts.push(text)
        this.heard?.(text)
        this.events.push(parseObject(text) ?? { unreadable: text })
        this.#rouse()
      },
      (code) => {
        this.code = code
        this.#rouse()
      },
    )
  }

  send(message: object | string): void {
    this.#line.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  create(members: object): void {
    this.send({ type: 'response.create', store: false, ...members })
  }

  /** The events of the next turn in a lane, up to the one that ends it. */
  async turn(members?: object, lane?: string): Promise<JsonObject[]> {
    if (members) this.create(lane === undefined ? members : { stream_id: lane, ...members })
    const events: JsonObject[] = []
    for (;;) {
      const event = await this.#next(lane)
      events.push(event)
      if (ENDS.has(event['type'])) return events
    }
  }

  /** Waits until so many events have come, or the socket is closed. */
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere() && this.code === undefined) await this.#change()
  }

  async closed(): Promise<number> {
    while (this.code === undefined) await this.#change()
    return this.code
  }

  close(code?: number): void {
    this.#line.close(code)
  }

  readonly #taken = new Set<JsonObject>()

  async #next(lane: string | undefined): Promise<JsonObject> {
    for (;;) {
      const found = this.events.find((event) => !this.#taken.has(event) && laneOf(event) === lane)
      if (found) {
        this.#taken.add(found)
        return found
      }
      if (this.code !== undefined) throw new Error(`closed with ${this.code}`)
      await this.#change()
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve))
  }

  #rouse(): void {
    const all = this.#wake
    this.#wake = []
    for (const wake of all) wake()
  }
}

const laneOf = (event: JsonObject): string | undefined => {
  const { stream_id } = event
  return typeof stream_id === 'string' ? stream_id : undefined
}

export const typesOf = (events: readonly JsonObject[]): unknown[] => events.map(({ type }) => type)

export const errorOf = (events: readonly JsonObject[]): JsonObject => {
  const { error } = events.at(-1) ?? {}
  return isObject(error) ? error : {}
}
