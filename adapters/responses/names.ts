import type { Request } from '../../src/model/request.ts'
import {
  shortenName,
  toolNames,
  type NameRule,
  type ToolName,
  type ToolNames,
} from '../../src/rules/names.ts'
import { remembered } from '../../src/model/remembered.ts'
import { isOrigin } from './dialect.ts'

export const NAME: NameRule = { forbidden: /[^a-zA-Z0-9_-]/, maxLength: 64 }
/** Upstreams check only the length. */
export const CALL_ID: NameRule = { forbidden: /(?!)/, maxLength: 64 }

/** The same id for a call and for its result. */
export const writeCallId = (id: string): string => shortenName(id, CALL_ID)

/** An end user's id has the same bound. A longer one becomes a shorter one that is stable and unique. */
export const writeUserId = (id: string): string => shortenName(id, CALL_ID)

export interface WireNames {
  /** This dialect has namespaces, so names are not flattened. */
  toWire(name: string, namespace?: string): { name: string; namespace?: string }
  fromWire(name: string, namespace?: string): Omit<ToolName, 'form'> & Partial<ToolName>
}

export const wireNames = (request: Pick<Request, 'tools' | 'origin'>): WireNames =>
  isOrigin(request) ? ownNames(toolNames(request, NAME)) : foreignNames(toolNames(request, NAME))

/** A caller of this dialect knows the namespaces of its service, too, which its request does not declare. */
const ownNames = remembered((plain: ToolNames) => namesOf(plain, true))
const foreignNames = remembered((plain: ToolNames) => namesOf(plain, false))

function namesOf(plain: ToolNames, own: boolean): WireNames {
  const isKnown = (namespace: string) => own || plain.declares(namespace)
  return {
    toWire: (name, namespace) => ({ name: plain.toWire(name), ...(namespace && { namespace }) }),
    fromWire(name, namespace) {
      return namespace && isKnown(namespace) ? { name, namespace } : plain.fromWire(name)
    },
  }
}

/** Labels of MCP servers follow the same rule. */
export const toServerLabel = (name: string): string => shortenName(name, NAME)

/** Names of formats follow the rule of tool names. */
export const writeFormatName = (name: string | undefined): string =>
  name ? shortenName(name, NAME) : 'response'
