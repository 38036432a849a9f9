import type { AskedRequest, SessionPart } from '../stages.ts'
import { parseObject } from '../../json/json.ts'
import { memberOf, type ScannedBody } from '../../json/scanned-body.ts'
import { openingWords } from './opening-words.ts'
import type { Session } from '../../upstream/sessions.ts'
import { namedClass } from './route-conditions.ts'

/**
 * The names under which clients send the id of their session: Claude Code, Codex (with underscores before 0.1),
 * opencode and pi in headers, others in bodies. The user agent is not used: Qwen Code calls itself `claude-cli`.
 */
const CLAUDE_CODE = 'x-claude-code-session-id'
/** Codex sends the id of its thread here; other programs may send an id of the request. */
const OF_REQUEST = 'x-client-request-id'
const HEADERS = [
  'session-id',
  'session_id',
  'x-session-id',
  'x-session-affinity',
  'thread-id',
  'conversation_id',
  OF_REQUEST,
]
const LASTING = HEADERS.filter((name) => name !== OF_REQUEST)
const LONGEST_ID = 512

/** Undefined where the request has no session. */
export function sessionPart(
  asked: AskedRequest,
  scanned: ScannedBody | undefined,
  model: string | undefined,
): SessionPart | undefined {
  const session = findSession(asked, scanned, model)
  if (!session) return undefined
  asked.journal.note({ session: session.hash })
  const kind = namedClass(asked) ?? 'main'
  const isMain = kind === 'main'
  return { session, own: isMain ? (model ?? '') : `${kind}\0${model}`, isMain }
}

/** The session of one caller, by its id or by how it begins. */
function findSession(
  asked: AskedRequest,
  scanned: ScannedBody | undefined,
  model: string | undefined,
): Session | undefined {
  const { identity = '', pools } = asked
  const id = sessionId(asked, scanned)
  const name = id ?? openingWords(asked, scanned, model)
  return name === undefined ? undefined : pools.sessions.find(identity, name)
}

/** The session as the client names it, where the name is surely the same in all its requests. */
export const lastingSession = (
  asked: Pick<AskedRequest, 'headers'>,
  scanned: ScannedBody | undefined,
): string | undefined => sessionId(asked, scanned, LASTING)

function sessionId(
  { headers }: Pick<AskedRequest, 'headers'>,
  scanned: ScannedBody | undefined,
  others: readonly string[] = HEADERS,
): string | undefined {
  return (
    usable(headers.get(CLAUDE_CODE)) ??
    userSession(scanned) ??
    firstIn(headers, others) ??
    usable(memberOf(scanned, 'prompt_cache_key')) ??
    conversation(scanned)
  )
}

function firstIn(headers: AskedRequest['headers'], names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = usable(headers.get(name))
    if (value !== undefined) return value
  }
  return undefined
}

const usable = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_ID ? value : undefined

/** Newer Claude Code writes JSON into `metadata.user_id`, older ones `user_…_account_…_session_<uuid>`. */
function userSession(scanned: ScannedBody | undefined): string | undefined {
  const metadata = scanned?.memberText('metadata')
  if (metadata === undefined) return undefined
  const { user_id: user } = parseObject(metadata) ?? {}
  if (typeof user !== 'string') return undefined
  const id = parseObject(user)?.['session_id'] ?? /_session_([\w-]{8,64})$/.exec(user)?.[1]
  return usable(id)
}

function conversation(scanned: ScannedBody | undefined): string | undefined {
  const text = scanned?.memberText('conversation')
  if (text === undefined) return undefined
  return usable(memberOf(scanned, 'conversation')) ?? usable(parseObject(text)?.['id'])
}
