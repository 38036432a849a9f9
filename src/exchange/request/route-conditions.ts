import type { AskedRequest } from '../stages.ts'
import type { Request } from '../../model/request.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import type { RequestClass } from '../../config/settings.ts'
import type { RouteConditions } from '../../upstream/route.ts'
import { readCallerRequest } from './read-request.ts'

/**
 * The classes that Claude Code (2.1.329) sends, only with CLAUDE_CODE_GATEWAY_HINT_HEADERS=1. Other values of the
 * header are ignored.
 */
const CLASSES: ReadonlySet<string> = new Set<RequestClass>([
  'main',
  'subagent',
  'workflow',
  'compaction',
  'auxiliary',
  'side_reply',
])

const CLASS_HEADER = 'x-claude-code-request-class'

/** The class that the client gives its request. */
export function namedClass({ headers }: Pick<AskedRequest, 'headers'>): string | undefined {
  const named = headers.get(CLASS_HEADER) ?? ''
  return CLASSES.has(named) ? named : undefined
}

const BYTES_PER_TOKEN = 4

/** About how many tokens a request holds. */
export const roughTokens = ({ received }: Pick<AskedRequest, 'received'>): number =>
  received.size / BYTES_PER_TOKEN

/** The class of a request by its content, which is read only when a route asks. */
export function routeConditions(
  asked: AskedRequest,
  scanned: ScannedBody | undefined,
): RouteConditions {
  const request = lazyRequest(asked)
  const asksForSummary = () =>
    asked.route.compacts ?? (mayAskForSummary(scanned) && request()?.compact?.now === true)
  return {
    inputTokens: () => roughTokens(asked),
    is(kind) {
      switch (kind) {
        case 'web-search':
          return offersSearchAlone(request())
        case 'thinking':
          return (request()?.reasoning?.mode ?? 'off') !== 'off'
        // The route defines how long `long` is.
        case 'long':
          return true
        case 'compaction':
          return namedClass(asked) === kind || asksForSummary()
        default:
          return namedClass(asked) === kind
      }
    },
  }
}

/** A quick look, before anything is read. */
const mayAskForSummary = (scanned: ScannedBody | undefined): boolean =>
  scanned === undefined || scanned.holds(namesCompaction)

const namesCompaction = (text: string): boolean => text.includes('compact')

/** Whether the request offers only a hosted search. */
const offersSearchAlone = (request: Request | undefined): boolean =>
  request !== undefined &&
  request.tools.length > 0 &&
  request.tools.every((tool) => tool.kind === 'hosted' && tool.capability === 'web-search')

/**
 * Reads the request into the model once, when first asked. Undefined for an invalid one, which is reported
 * elsewhere.
 */
export function lazyRequest(asked: AskedRequest): () => Request | undefined {
  let known: { request: Request | undefined } | undefined
  return () => (known ??= { request: attempted(asked) }).request
}

function attempted(asked: AskedRequest): Request | undefined {
  try {
    return readCallerRequest(asked, asked.received.text)
  } catch {
    return undefined
  }
}
