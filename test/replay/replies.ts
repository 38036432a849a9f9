import type { Adapter, Frame } from '../../adapters/contract.ts'
import type { Event, Folded } from '../../src/model/events.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'
import { blockName } from '../../src/rules/foreign.ts'
import type { Block, Request } from '../../src/model/request.ts'
import { fingerprint } from '../../src/model/proof.ts'
import { sseParser } from '../../src/stream/sse.ts'
import { grammarOf } from '../grammar/index.ts'
import { clientOf } from '../laws/clients.ts'
import { proofOwners, formDifferences, withoutForeignProofs } from '../laws/compare.ts'
import { unreportedInReply } from '../laws/excuses.ts'
import {
  readBodyText,
  readFrames,
  readRequest,
  writeReply,
  writeRequest,
  type ReadReply,
  type WrittenReply,
} from '../laws/exchange.ts'
import type { Recorded } from './records.ts'
import type { Tally } from './tally.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'

const MOST_CHARACTERS = 1 << 26

export function framesOf(text: string): Frame[] {
  const parser = sseParser(MOST_CHARACTERS)
  return [...parser.push(text), ...parser.end()]
}

/** The recorded reply as its own dialect's reader understands it. */
export function readRecorded(upstream: Adapter, request: Request, record: Recorded): ReadReply {
  if (record.sse !== undefined) return readFrames(upstream, request, framesOf(record.sse))
  const text = JSON.stringify(record.body ?? null)
  return readBodyText(upstream, request, text)
}

/** Everything that is asked of one reply, from one upstream towards one caller. */
export function replayReply(
  tally: Tally,
  caller: Adapter,
  record: Recorded,
  request: Request,
  read: ReadReply,
): void {
  const pair = `${caller.dialect} <- ${record.dialect}`
  const written = writeReply(caller, request, read.events)
  const grammar = grammarOf(caller.dialect)
  const answers = request.sampling.candidateCount
  tally.count(pair, 'streams', record.id, grammar.check(written.frames, answers))
  tally.count(pair, 'replies', record.id, kept(caller, request, read, written))
  if (written.body === undefined) return
  tally.count(pair, 'bodies', record.id, grammar.checkBody(JSON.parse(written.body), answers))
}

/** Equal, or different and reported. The whole reply and the stream must say the same. */
function kept(
  caller: Adapter,
  request: Request,
  read: ReadReply,
  written: WrittenReply,
): string | undefined {
  const streamed = readFrames(caller, request, written.frames)
  const own = (folded: Folded) => withoutForeignProofs(folded, caller.dialect)
  const [difference] = unreportedInReply(own(read), own(streamed), written.losses)
  if (difference !== undefined) return difference
  if (written.body === undefined) return undefined
  const whole = readBodyText(caller, request, written.body)
  const [split] = formDifferences(streamed, whole, written.losses)
  return split === undefined ? undefined : `stream and body differ in ${split}`
}

/** Proofs must come home: through the caller's client, and on to the upstream that issued them. */
export function replayProofs(
  tally: Tally,
  caller: Adapter,
  upstream: Adapter,
  record: Recorded,
  request: Request,
  read: ReadReply,
): void {
  const { blocks } = read.reply
  // Behind a final text a proof stands only for a caller that has asked to see thoughts.
  const reasoning = { ...request.reasoning, mode: 'on', visible: true } as const
  const asked = { ...request, reasoning }
  const { body, losses } = writeReply(caller, asked, read.events)
  const lost = new Set(losses.map(({ path }) => path))
  // What a caller has no place for has no proof there either.
  const shown = blocks.filter((block) => !lost.has(`reply.${blockName(block)}`))
  const expected = proofOwners(shown)
  if (expected.length === 0 || body === undefined) return
  const client = clientOf(caller.dialect)
  const received: JsonObject = JSON.parse(body)
  const next = stringify(client.followUp(client.request(record.model, 'Hello'), received))
  const returned = readRequest(caller, next)
  const thinking: Request = { ...returned, tools: request.tools, reasoning: { mode: 'on' } }
  const sent = stringify(writeRequest(upstream, thinking).body)
  const arrived = readRequest(upstream, sent)
  const pair = `${caller.dialect} <- ${upstream.dialect}`
  tally.count(
    pair,
    'proofs',
    record.id,
    unequal('returned', expected, returned) ??
      unequal('sent', proofOwners(withoutLastThoughts(shown)), arrived),
  )
}

/** Thoughts that nothing follows were cut off; one dialect refuses them in a history. */
function withoutLastThoughts(blocks: Block[]): Block[] {
  const last = blocks.findLastIndex((block) => block.kind !== 'reasoning')
  return blocks.slice(0, last + 1)
}

function unequal(when: string, expected: string[], request: Request): string | undefined {
  const blocks = request.turns.flatMap((turn): Block[] =>
    turn.role === 'assistant' ? turn.blocks : [],
  )
  const found = proofOwners(blocks)
  const missing = expected.find((proof) => !found.includes(proof))
  if (missing !== undefined) return `${when}: missing ${missing.slice(0, 120)}`
  return found.length >= expected.length ? undefined : `${when}: ${found.length} proofs`
}

/** A stream that breaks off before its last event must end in an error, for every caller. */
export function replayCuts(
  tally: Tally,
  callers: readonly Adapter[],
  upstream: Adapter,
  record: Recorded,
  request: Request,
): void {
  const { sse = '', id } = record
  const terminal = framesOf(sse).find((frame) => clientOf(upstream.dialect).isTerminal(frame))
  const before = terminal ? sse.indexOf(terminal.data) : -1
  if (before < 0) return
  for (const salt of ['a', 'b', 'c']) {
    const cut = parseInt(fingerprint(id + salt).slice(0, 8), 16) % (before + 1)
    const { events } = readFrames(upstream, request, framesOf(sse.slice(0, cut)))
    for (const caller of callers) {
      const pair = `${caller.dialect} <- ${upstream.dialect}`
      tally.count(pair, 'cuts', id, cutWrong(caller, request, events))
    }
  }
}

function cutWrong(caller: Adapter, request: Request, events: Event[]): string | undefined {
  if (events.at(-1)?.type !== 'error') return `a cut stream ended in ${events.at(-1)?.type}`
  if (events.some((event) => event.type === 'finish')) return 'a cut stream finished'
  const { frames } = writeReply(caller, request, events)
  return grammarOf(caller.dialect).check(frames, request.sampling.candidateCount)
}

/** An error reply becomes a problem, and every caller is told about it in its own words. */
export function replayProblem(callers: readonly Adapter[], upstream: Adapter, record: Recorded) {
  const problem = upstream.upstream.readProblem(record.status, record.body)
  for (const caller of callers) {
    const { status, body } = caller.caller.writeProblem(problem, 'request-1')
    if (status < 400 || status > 599) throw new Error(`problem written with status ${status}`)
    stringify(body)
  }
  const reader = upstream.upstream.reader({
    request: EMPTY,
    lose: lossList().lose,
    newId: (prefix) => prefix,
  })
  const events = reader.body(record.body ?? null)
  if (events.at(-1)?.type !== 'error') throw new Error('an error body was read as a reply')
}

export const EMPTY = emptyRequest('model-1', true)
