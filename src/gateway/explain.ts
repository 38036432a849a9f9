import type { Lookup } from '../../adapters/adapter.ts'
import type { Dialects } from '../../adapters/index.ts'
import { Verbatim, type Json, type JsonObject } from '../canonical/json.ts'
import { ProblemError } from '../canonical/problem.ts'
import { wholeBytes } from './bytes.ts'
import { matched } from './dispatch.ts'
import { idSource, type Exchange } from './exchange.ts'
import { noJournal } from './journal.ts'
import { masked, type Addressed } from './outgoing.ts'
import { ownHeaders } from './own-headers.ts'
import { planOf, type Plan } from './plan.ts'
import { bodyOf } from './read.ts'
import type { Settings } from './settings.ts'

/** What would be sent for a request, and what would be lost on the way. Nothing is sent. */
export async function explained(exchange: Exchange): Promise<JsonObject> {
  const plan = await planOf(exchange)
  return {
    caller: exchange.caller.dialect,
    upstream: upstreamOf(plan),
    losses: plan.losses.map((loss) => ({ ...loss })),
  }
}

function upstreamOf({ destination, sent }: Plan): JsonObject {
  const { name, dialect } = destination.upstream
  if (!sent) return { name, dialect, method: null, url: null, headers: {}, body: null }
  const { url, headers } = masked(sent)
  return { name, dialect, method: sent.method, url, headers, body: sentBody(sent) }
}

/** As it would be sent, to the digit; a body that is no JSON is shown as the text that it is. */
function sentBody({ body }: Addressed): Json {
  const text = new TextDecoder().decode(wholeBytes(body))
  try {
    JSON.parse(text)
    return new Verbatim(text)
  } catch {
    return text
  }
}

/** A request that nobody made: for the command line. */
export interface Sample {
  /** A conversation path, with its query if it has one. */
  path: string
  body: Uint8Array
  headers?: Lookup
}

/** The same without a server; throws ProblemError. */
export async function explain(
  settings: Settings,
  dialects: Dialects,
  sample: Sample,
): Promise<JsonObject> {
  const url = new URL(sample.path, 'http://dragoman.invalid')
  const incoming = { method: 'POST', path: url.pathname, query: url.searchParams }
  const match = matched(dialects, incoming)
  if (!match)
    throw new ProblemError({
      kind: 'not-found',
      message: `${url.pathname} is no conversation path.`,
    })
  const exchange: Exchange = {
    ...match,
    settings,
    dialects,
    incoming,
    headers: sample.headers ?? ownHeaders(match.caller),
    body: bodyOf(sample.body),
    credential: undefined,
    signal: new AbortController().signal,
    ports: SILENT_PORTS,
    journal: noJournal,
    newId: idSource(() => '0'.repeat(32)),
  }
  return explained(exchange)
}

const SILENT_PORTS: Exchange['ports'] = {
  send: () => Promise.reject(new Error('an explanation sends nothing')),
  now: () => 0,
  randomId: () => '0'.repeat(32),
  log() {},
}
