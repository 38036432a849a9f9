import { SESSION_MARK } from './history.ts'
import { type Template, templatesFor } from './requests.ts'
import type { Asking } from './shared.ts'

/** What one connection asks, request after request. */
export interface Asker {
  /** Valid until the next one is asked for. */
  next(): Buffer
}

/** The askers of a lane, which go on in the next slice where they were. */
export interface Askers {
  /** Of one of so many connections. */
  at(index: number, count: number): Asker
}

const DIGITS = 7

let sessions = 0
/** No two sessions of a run have the same number, so that no memory of bytes knows one from before. */
const newSession = (): string => {
  sessions += 1
  return String(sessions).padStart(DIGITS, '0')
}

/** Over and over the same bytes, where nothing in them belongs to a session. */
const constant = ({ bytes }: Template): Asker => ({ next: () => bytes })

/** A session that grows by a turn with each request and is followed by another one. */
function session(templates: readonly Template[], firstTurn: number): Asker {
  const room = Buffer.alloc(Math.max(...templates.map(({ bytes }) => bytes.length)))
  let turn = firstTurn
  let number = newSession()
  return {
    next() {
      const template = templates[turn]
      if (!template) throw new Error('a session has no turns')
      const length = template.bytes.copy(room)
      for (const place of template.places)
        room.write(number, place + SESSION_MARK.length - DIGITS, 'latin1')
      turn = (turn + 1) % templates.length
      if (turn === 0) number = newSession()
      return room.subarray(0, length)
    },
  }
}

/** The connections of a lane are at different places of their sessions, so that every slice has all of them. */
export function askersFor(asking: Asking): Askers {
  const templates = templatesFor(asking)
  const known = new Map<number, Asker>()
  const make = (index: number, count: number): Asker => {
    const [first] = templates
    if (first && first.places.length === 0) return constant(first)
    return session(templates, Math.floor((index * templates.length) / count))
  }
  return {
    at(index, count) {
      const asker = known.get(index) ?? make(index, count)
      known.set(index, asker)
      return asker
    },
  }
}
