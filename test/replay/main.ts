import { parseArgs } from 'node:util'
import type { Adapter } from '../../adapters/contract.ts'
import { adapters } from '../../adapters/index.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import type { Block, Request, Tool } from '../../src/model/request.ts'
import { lossList } from '../../src/model/loss.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'
import { cutUp } from '../laws/spelling.ts'
import { records, type Recorded } from './records.ts'
import {
  EMPTY,
  readRecorded,
  replayCuts,
  replayProblem,
  replayProofs,
  replayReply,
} from './replies.ts'
import { RecordedBills } from './billing.ts'
import { replayChains } from './chains.ts'
import { probe } from './silent.ts'
import { probeReply } from './silent-replies.ts'
import { Tally } from './tally.ts'
import { TokenCount } from '../observe/tokens.ts'

const USAGE = `Replays recorded traffic through every pair of dialects.

  npm run replay -- FOLDER [--sample N] [--places N] [--failures N]

FOLDER holds files *.jsonl, one exchange per line: {id, dialect, op, model, kind, request: {path, body},
response: {status, body | sse}}. --sample: how many exchanges (all); --places: how many places of a request
are changed to find what is lost in silence (24); --failures: how many kinds of failure are listed (40).`

/** The request as it may have come: on one line, or written for people. */
function requestOf(
  upstream: Adapter,
  record: Recorded,
  spell = (text: string) => text,
): Request | undefined {
  if (!record.request) return undefined
  try {
    return readRequest(upstream, spell(stringify(record.request)), spokenOf(record))
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

const spokenOf = (record: Recorded) => ({ model: record.model, stream: record.sse !== undefined })

/** Runs one check; a crash of one is no reason not to run the others. */
function attempt(tally: Tally, pair: string, record: Recorded, check: () => void): void {
  try {
    check()
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const [what = '', ...stack] = reason.split('\n')
    const where = stack.find((line) => !line.includes('node_modules'))?.trim() ?? ''
    tally.fail({ pair, column: 'crash', reason: `${what} ${where}`, record: record.id })
  }
}

function replayRequest(tally: Tally, record: Recorded, caller: Adapter, places: number): void {
  const { request: body } = record
  if (!body) return
  const request = requestOf(caller, record)
  const printed = requestOf(caller, record, cutUp)
  if (!request || !printed) return tally.add(`requests refused, ${caller.dialect}`)
  attempt(tally, `${caller.dialect} <- ${caller.dialect}`, record, () =>
    replaySame(tally, caller, record, body),
  )
  for (const upstream of adapters) {
    if (upstream === caller) continue
    const pair = `${caller.dialect} <- ${upstream.dialect}`
    attempt(tally, pair, record, () => {
      const written = bodyFor(upstream, request)
      if (written === undefined) return tally.add(`requests refused, ${pair}`)
      tally.count(pair, 'readable', record.id, readable(upstream, written))
      const printedToo = bodyFor(upstream, printed)
      tally.count(pair, 'readable', record.id, readable(upstream, printedToo ?? ''))
      const found = probe(caller, upstream, body, places, spokenOf(record))
      if (!found) return
      tally.add(`changes kept, ${pair}`, found.kept)
      tally.add(`changes reported, ${pair}`, found.reported)
      tally.changes(pair, 'requests', record.id, found)
    })
  }
}

/** An upstream of the same dialect is sent what came, with another model where the body names one. */
function replaySame(tally: Tally, { dialect, same }: Adapter, record: Recorded, body: JsonObject) {
  const member = same.modelMember.request
  const model = member !== undefined && typeof body[member] === 'string' ? 'model-2' : undefined
  const { lose, losses } = lossList()
  const edits = { ...(model !== undefined && { model }), facts: {}, foreign: true }
  const sent = stringify(same.edit(body, edits, lose))
  const expected = stringify(
    member !== undefined && model !== undefined ? { ...body, [member]: model } : body,
  )
  const wrong = sent !== expected || losses.length > 0 ? 'more than the model changed' : undefined
  tally.count(`${dialect} <- ${dialect}`, 'requests', record.id, wrong)
}

/** Undefined when the caller is told that this cannot be said to this upstream. */
function bodyFor(upstream: Adapter, request: Request): string | undefined {
  try {
    return stringify(writeRequest(upstream, request).body)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** What is written for an upstream must be legal there, by the judgement of the same dialect's other half. */
function readable(upstream: Adapter, text: string): string | undefined {
  try {
    readRequest(upstream, text)
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.message
    throw error
  }
}

/** The request with every tool that the reply calls: of some exchanges only the reply was kept. */
function declaring(request: Request, blocks: Block[]): Request {
  const known = new Set(request.tools.map((tool) => ('name' in tool ? tool.name : '')))
  const calls = blocks.filter((block) => block.kind === 'tool-call')
  const missing = calls.filter(({ name }) => !known.has(name))
  const tools = missing.map(({ name, form }): Tool =>
    form === 'text' ? { kind: 'text', name } : { kind: 'function', name },
  )
  return { ...request, tools: [...request.tools, ...tools] }
}

function replay(tally: Tally, record: Recorded, places: number): void {
  const upstream = adapters.find((adapter) => adapter.dialect === record.dialect)
  if (!upstream || record.operation !== 'create') return tally.add('records of other kinds')
  tally.add(`records, ${record.dialect}`)
  const own = `${record.dialect} <- ${record.dialect}`
  attempt(tally, own, record, () => replayRequest(tally, record, upstream, places))
  if (record.sse === undefined && record.body === undefined) return
  const callers = adapters.filter((adapter) => adapter !== upstream)
  if (record.status >= 400)
    return attempt(tally, own, record, () => replayProblem(adapters, upstream, record))
  attempt(tally, own, record, () => {
    const known = requestOf(upstream, record) ?? EMPTY
    const read = readRecorded(upstream, known, record)
    const request = declaring(known, read.reply.blocks)
    const printed = declaring(requestOf(upstream, record, cutUp) ?? EMPTY, read.reply.blocks)
    tally.add(`replies passed through and read, ${record.dialect}`)
    if (read.problem) tally.add(`replies that are or end in an error, ${record.dialect}`)
    for (const caller of callers) {
      const pair = `${caller.dialect} <- ${record.dialect}`
      attempt(tally, pair, record, () => replayReply(tally, caller, record, request, read))
      attempt(tally, pair, record, () => replayReply(tally, caller, record, printed, read))
      attempt(tally, pair, record, () => {
        const found = probeReply(caller, upstream, request, record.body ?? null, places)
        if (found) tally.changes(pair, 'members', record.id, found)
      })
      attempt(tally, pair, record, () =>
        replayProofs(tally, caller, upstream, record, request, read),
      )
    }
    replayCuts(tally, callers, upstream, record, printed)
  })
}

/** What the log and the running count say of a reply, in every dialect that it may have been asked for in. */
async function replayTokens(tally: Tally, count: TokenCount, record: Recorded): Promise<void> {
  const { id: name, dialect, operation, status, sse, body } = record
  const text = sse ?? (body === undefined ? undefined : stringify(body))
  if (operation !== 'create' || status !== 200 || text === undefined) return
  const said = { name, dialect, text, stream: sse !== undefined }
  for (const caller of adapters)
    tally.count(`${caller.dialect} <- ${dialect}`, 'tokens', name, await count.ask(said, caller))
}

const numberOf = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : Number(text)

async function main(): Promise<number> {
  const option = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { sample: option, places: option, failures: option },
  })
  const [folder] = positionals
  if (folder === undefined) {
    console.log(USAGE)
    return 1
  }
  const tally = new Tally()
  const sample = values.sample === undefined ? undefined : Number(values.sample)
  const lines = records(folder, sample, ({ file, line, what }) => {
    console.log(`${file}:${line}: ${what}`)
    tally.add('malformed lines')
  })
  const chained: Pick<Recorded, 'id' | 'dialect' | 'model' | 'request'>[] = []
  const count = new TokenCount()
  for await (const record of lines) {
    replay(tally, record, numberOf(values.places, 24))
    await replayTokens(tally, count, record)
    const { id, dialect, model, request, operation } = record
    if (operation === 'create') chained.push({ id, dialect, model, request })
  }
  replayChains(tally, adapters, chained)
  const bills = new RecordedBills()
  bills.replay(tally, adapters, chained)
  for (const line of bills.lines()) console.log(line)
  const isEqual = count.told.join() === count.counted.join()
  tally.count('all', 'tokens', 'all', isEqual ? undefined : 'the sums differ')
  const sums = [count.told, count.counted].map(([input, output]) => `${input} in, ${output} out`)
  console.log(`tokens of ${count.replies} replies: by upstreams ${sums[0]}; counted ${sums[1]}`)
  for (const line of tally.lines(numberOf(values.failures, 40))) console.log(line)
  const { missed } = tally
  console.log(missed.length === 0 ? '\nAll goals are met.' : `\nMissed: ${missed.join('; ')}`)
  return missed.length === 0 ? 0 : 1
}

process.exitCode = await main()
