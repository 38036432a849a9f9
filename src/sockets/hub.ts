import type { Accept } from '../ports.ts'
import { Connection, type Ground } from './connection.ts'
import { Shelf } from './remembered.ts'

/** All connections together remember at most what so many may that use their bound. */
const FULL_CONNECTIONS = 4

interface HubLimits {
  bodyBytes: number
  socketBytes: number
}

/** The sockets of this process. */
export class Hub {
  readonly #connections = new Set<Connection>()
  readonly #shelf = new Shelf()
  /** How many were closed, by their codes. */
  readonly closed = new Map<number, number>()
  isDraining = false
  /** The largest message of sockets that are opened from now on. */
  mostBytes = 0

  constructor(limits: HubLimits) {
    this.bound(limits)
  }

  /** Sets other limits. What is open keeps its own. */
  bound({ bodyBytes, socketBytes }: HubLimits): void {
    this.mostBytes = bodyBytes
    this.#shelf.bound(socketBytes * FULL_CONNECTIONS)
  }

  get open(): number {
    return this.#connections.size
  }

  /** How many requests on sockets are underway. */
  get underway(): number {
    let count = 0
    for (const connection of this.#connections) count += connection.underway
    return count
  }

  /** How many bytes are remembered. */
  get held(): number {
    return this.#shelf.held
  }

  /** Lets one more in; undefined where there is no place. */
  enter(most: number, ground: Omit<Ground, 'over' | 'shelf'>): Accept | undefined {
    if (this.isDraining || this.open >= most) return undefined
    return (peer) => {
      const over = (code: number) => {
        this.#connections.delete(connection)
        this.closed.set(code, (this.closed.get(code) ?? 0) + 1)
      }
      const connection = new Connection({ ...ground, shelf: this.#shelf, over }, peer)
      this.#connections.add(connection)
      // Others may have been faster while this one was opened.
      if (this.isDraining || this.open > most) connection.refuse()
      return connection
    }
  }

  /** Nothing more is begun; idle sockets are closed now, others when their requests have ended. */
  drain(): void {
    this.isDraining = true
    for (const connection of this.#connections) connection.drain()
  }
}
