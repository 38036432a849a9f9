import type { AskedRequest, ScannedRequest, ChosenRequest, ReadRequest } from '../stages.ts'
import { objectIn, parse, stringify, type Json, type JsonObject } from '../../json/json.ts'
import type { VerbatimPaths } from '../../json/verbatim-paths.ts'
import { ScannedBody } from '../../json/scanned-body.ts'
import {
  folded,
  scanStructure,
  StructureError,
  type Structure,
  type StructureLimits,
} from '../../json/structure.ts'
import type { Adapter } from '../../../adapters/contract.ts'
import { invalid, ProblemError } from '../../model/problem.ts'
import { remembering } from '../../model/remembered.ts'
import type { Request } from '../../model/request.ts'
import { withCallerSpelling } from './caller-path.ts'
import { Received } from '../received.ts'
import { idSource } from '../../model/ids.ts'
import { withProofs } from '../../memory/proofs.ts'
import type { ResolvedRequest } from '../../memory/resolve.ts'
import { readableProofs } from './accounts.ts'
import { yieldTurn } from './room.ts'

/** `seen`: the scanned body, where it has been scanned already. */
export function scanBody(asked: AskedRequest, seen?: ScannedBody): ScannedRequest {
  if (seen) return { asked, scanned: seen }
  const { received, recall } = asked
  const known = recall?.scanned(received.bytes) ?? recall?.fresh(received.bytes)
  if (known) return { asked, scanned: known }
  const { text } = received
  const found = structureWithin(asked.settings.limits, text, asked.caller)
  // The caller's own dialect reports best what is wrong.
  if (!found) readCallerRequest(asked, text)
  if (found && !found.repeats && recall && !received.isLifted)
    return { asked, scanned: recall.learned(received.bytes, text, found) }
  const scanned = new ScannedBody(text, found ?? NO_STRUCTURE)
  if (!found?.repeats) return { asked, scanned }
  // Parsers differ in which of repeated members they take, and an upstream must not read another than was judged here.
  const said = stringify(onceEach(objectIn(scanned.parsed())))
  return scanBody({ ...asked, received: new Received(received.encoded(said)) })
}

/** Of names that differ in their case alone the small one stays, which is the one that is read here. */
function onceEach(body: JsonObject): JsonObject {
  const chosen = new Map<string, string>()
  for (const name of Object.keys(body)) {
    const same = folded(name)
    if (name === same || !chosen.has(same)) chosen.set(same, name)
  }
  const names = new Set(chosen.values())
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name)))
}

/**
 * A body that need not be JSON, because it passes to a service of its own dialect. Undefined for bytes that are no
 * text: they pass unread, and the upstream reports what is wrong.
 */
export function unscannedBody({
  received,
  caller,
  recall,
  settings,
}: AskedRequest): ScannedBody | undefined {
  const { bytes } = received
  const known = recall?.scanned(bytes) ?? recall?.first(bytes) ?? recall?.fresh(bytes)
  if (known) return known
  const { verbatim } = caller.caller
  const { turns } = caller.same.beginning ?? {}
  try {
    const { text } = received
    const found = recall && scanStructure(text, settings.limits, verbatim, turns)
    if (!found || received.isLifted) return anyText(text, verbatim)
    return recall.learned(bytes, text, found)
  } catch (error) {
    return error instanceof StructureError ? anyText(received.text, verbatim) : undefined
  }
}

const anyText = (text: string, verbatim: VerbatimPaths): ScannedBody =>
  new ScannedBody(text, undefined, { verbatim })

const NO_STRUCTURE: Structure = { members: new Map(), nodes: 0, repeats: false, ends: [] }

function structureWithin(
  limits: StructureLimits,
  text: string,
  { caller, same }: Adapter,
): Structure | undefined {
  const { turns } = same.beginning ?? {}
  try {
    return scanStructure(text, limits, caller.verbatim, turns)
  } catch (error) {
    throw error instanceof StructureError ? tooMuch(error) : error
  }
}

const tooMuch = ({ limit, most }: StructureError): ProblemError =>
  limit === 'depth'
    ? invalid(`The body is nested deeper than ${most} levels.`)
    : new ProblemError({
        kind: 'too-large',
        message: `The body holds more than ${most} JSON values.`,
      })

/** The parser's own message quotes the body, so it is replaced. */
function unlessMalformed(parse: () => Json): Json {
  try {
    return parse()
  } catch {
    throw invalid('The body is not valid JSON.')
  }
}

export const parsed = (text: string, paths?: VerbatimPaths): Json =>
  unlessMalformed(() => parse(text, paths))

/** Throws ProblemError for malformed JSON. */
export const parseBody = (scanned: ScannedBody): Json => unlessMalformed(() => scanned.parsed())

export const readCallerRequest = (asked: AskedRequest, text: string): Request =>
  readJson(asked, parsed(text, asked.caller.caller.verbatim))

export function readJson(asked: AskedRequest, body: Json): Request {
  const { caller, route, headers, newId, recall } = asked
  const context = { route, headers, newId }
  const read = () => caller.caller.readRequest(body, context)
  return withCallerSpelling(caller, () => remembering(recall?.isKept === true, read))
}

/** Reads a body again, with ids that mean nothing. */
export const rereader =
  (asked: AskedRequest) =>
  (body: Json): Request =>
    readJson({ ...asked, newId: idSource(() => NO_SEED), recall: undefined }, body)

const NO_SEED = '0'.repeat(32)

/** Reads a request whose references are written out. */
export async function readFor(
  chosen: ChosenRequest,
  { body, resolved, keeping, issuers, nameless }: ResolvedRequest,
): Promise<ReadRequest> {
  const { asked, destination } = chosen
  const { lease, received, settings } = asked
  await yieldTurn(received, lease)
  const { adapter, upstream } = destination
  const read = await withProofs(asked, readJson(asked, body), adapter.dialect)
  await yieldTurn(received, lease)
  const given = readableProofs(read, settings, destination, issuers)
  const { previous, ...rest } = given
  if (previous !== undefined && !resolved) throw noHistory(upstream.name)
  const request = keptOnce(rest, resolved, keeping)
  return { chosen, body, resolved, nameless, issuers, request, given, keeping }
}

/** What is kept here the upstream need not keep too: no caller could ask for that copy or delete it. */
const keptOnce = (
  request: Request,
  resolved: boolean,
  keeping: ResolvedRequest['keeping'],
): Request =>
  resolved || (keeping !== undefined && request.store === true)
    ? { ...request, store: false }
    : request

const noHistory = (upstream: string) =>
  invalid(
    `The upstream '${upstream}' does not keep earlier responses, so it cannot continue one: ` +
      'send the whole conversation in the input instead of previous_response_id, or set state.store.',
    'previous_response_id',
    'previous_response_not_found',
  )
