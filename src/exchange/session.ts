import { sha256Hex } from '../json/sha256.ts'
import { isObject, parseObject } from '../json/json.ts'
import { memberOf, memberText, type ScannedBody } from '../json/scanned-body.ts'
import { endOfValue } from '../json/tokens.ts'
import { fingerprint } from '../model/proof.ts'
import type { Exchange } from './exchange.ts'
import { scanBody } from './read-request.ts'

/**
 * What tells one session from another, by the names under which clients say it: Claude Code, Codex (with
 * underscores before 0.1), opencode and pi in headers; the rest in bodies. A user agent proves no client, as Qwen
 * Code calls itself `claude-cli`.
 */
const HEADERS_BEFORE_USER = ['x-claude-code-session-id']
const HEADERS = [
  'session-id',
  'session_id',
  'x-session-id',
  'x-session-affinity',
  'thread-id',
  'conversation_id',
  'x-client-request-id',
]
const LONGEST_ID = 512
const DIGITS = 16

/** A hash that stands for the session of one caller; undefined where nothing tells it from others. */
export function sessionOf(
  exchange: Exchange,
  scanned: ScannedBody | undefined,
): string | undefined {
  const id = sessionId(exchange, scanned)
  const words = id === undefined ? firstWords(exchange, scanned) : undefined
  if (id === undefined && words === undefined) return undefined
  const source = id === undefined ? 'words' : 'id'
  return hashed([exchange.identity ?? '', source, id ?? words].join('\0'))
}

function sessionId(
  { headers }: Pick<Exchange, 'headers'>,
  scanned: ScannedBody | undefined,
): string | undefined {
  const inHeaders = (names: readonly string[]) => {
    for (const name of names) {
      const value = usable(headers.get(name))
      if (value !== undefined) return value
    }
    return undefined
  }
  return (
    inHeaders(HEADERS_BEFORE_USER) ??
    userSession(scanned) ??
    inHeaders(HEADERS) ??
    usable(memberOf(scanned, 'prompt_cache_key')) ??
    conversation(scanned)
  )
}

const usable = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_ID ? value : undefined

/** Newer Claude Code writes JSON into `metadata.user_id`, older ones `user_…_account_…_session_<uuid>`. */
function userSession(scanned: ScannedBody | undefined): string | undefined {
  const { user_id: user } = parseObject(memberText(scanned, 'metadata') ?? '') ?? {}
  if (typeof user !== 'string') return undefined
  const told = parseObject(user)?.['session_id'] ?? /_session_([\w-]{8,64})$/.exec(user)?.[1]
  return usable(told)
}

function conversation(scanned: ScannedBody | undefined): string | undefined {
  const text = memberText(scanned, 'conversation')
  if (text === undefined) return undefined
  return usable(memberOf(scanned, 'conversation')) ?? usable(parseObject(text)?.['id'])
}

const LONGEST_WORDS = 4096

/** How a conversation begins, which stays the same while it grows. */
function firstWords(exchange: Exchange, scanned: ScannedBody | undefined): string | undefined {
  const { beginning, modelMember } = exchange.caller.same
  const body = scanned ?? (beginning && attempted(exchange))
  const turns = beginning && memberText(body, beginning.turns)
  if (!beginning || turns === undefined) return undefined
  const instructions = memberText(body, beginning.instructions) ?? ''
  const model = exchange.route.model ?? memberOf(body, modelMember.request) ?? ''
  const words = [model, instructions.slice(0, LONGEST_WORDS), firstOfUser(turns)].join('\0')
  // Of a long text SHA-256 alone would take longer than all the rest.
  return fingerprint(words)
}

/** Where the path names the model, the body has not been scanned. */
function attempted(exchange: Exchange): ScannedBody | undefined {
  try {
    return scanBody(exchange)
  } catch {
    return undefined
  }
}

const MOST_TURNS = 8

/** What the user says first, as it is spelled; others may speak before. */
function firstOfUser(turns: string): string {
  if (!turns.startsWith('[')) return turns.slice(0, LONGEST_WORDS)
  let at = 1
  for (let count = 0; count < MOST_TURNS && at < turns.length; count += 1) {
    while (turns.charCodeAt(at) <= 32 || turns[at] === ',') at += 1
    const end = endOfValue(turns, at)
    const turn = end - at <= LONGEST_WORDS * 16 ? parseObject(turns.slice(at, end)) : undefined
    if (!turn || (turn['role'] ?? 'user') === 'user')
      return (turn ? wordsIn(turn) : turns.slice(at, end)).slice(0, LONGEST_WORDS)
    at = end
  }
  return ''
}

/** All its text: marks of what to cache come and go, the words stay. */
function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(wordsIn).join('\n')
  if (!isObject(value)) return ''
  const { content, parts, text } = value
  return wordsIn(text ?? content ?? parts ?? '')
}

const MOST_KNOWN = 1000
const known = new Map<string, string>()

/** SHA-256, as far as the log shows it; sessions come again. */
function hashed(text: string): string {
  const before = known.get(text)
  if (before !== undefined) return before
  const hash = sha256Hex(text).slice(0, DIGITS)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, hash)
  return hash
}
