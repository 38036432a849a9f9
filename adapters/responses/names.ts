import type { Request } from '../../src/model/request.ts'
import { fit, toolNames, type NameRule, type ToolName } from '../../src/model/names.ts'
import { isOrigin } from './dialect.ts'

export const NAME: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }
/** Any character goes; upstreams check nothing but the length. */
const CALL_ID: NameRule = { forbidden: /(?!)/, maxLength: 64 }

/** The same id for a call and for its result. */
export const writeCallId = (id: string): string => fit(id, CALL_ID)

/** Gives an id that comes again a number, the least that makes it another one. */
export function uniqueIds(used = new Set<string>()): (id: string) => string {
  const counts = new Map<string, number>()
  return (id) => {
    let fresh = id
    let count = counts.get(id) ?? 2
    for (; used.has(fresh); count += 1) fresh = writeCallId(`${id}_${count}`)
    if (fresh !== id) counts.set(id, count)
    used.add(fresh)
    return fresh
  }
}

/** A user's id has the same bound: a longer one is shortened to one that stays the same and stays apart. */
export const writeUserId = (id: string): string => fit(id, CALL_ID)

export interface WireNames {
  /** Namespaces need no flattening: this dialect has them. */
  toWire(name: string, namespace?: string): { name: string; namespace?: string }
  fromWire(name: string, namespace?: string): Omit<ToolName, 'form'> & Partial<ToolName>
}

export function wireNames(request: Request): WireNames {
  const plain = toolNames(request, NAME)
  // A caller of this dialect knows what its own services say.
  const isKnown = (namespace: string) => isOrigin(request) || plain.declares(namespace)
  return {
    toWire: (name, namespace) => ({ name: plain.toWire(name), ...(namespace && { namespace }) }),
    fromWire(name, namespace) {
      return namespace && isKnown(namespace) ? { name, namespace } : plain.fromWire(name)
    },
  }
}

/** Labels of servers obey it too. */
export const serverLabelOf = (name: string): string => fit(name, NAME)

/** Names of formats and the like obey the rule of tool names. */
export const writeFormatName = (name: string | undefined): string =>
  name ? fit(name, NAME) : 'response'
