import { WITHHELD, type Event, type FinishEvent, type StartEvent } from '../model/events.ts'
import { isObject, Verbatim, type Json, type JsonObject } from '../json/json.ts'
import { nothingLost, lossesIn, type At, type Lose, type LoseOf } from '../model/loss.ts'
import type { ListName } from '../model/loss-names.ts'
import type { Block, DialectName, Ext, Request, Tool, Turn } from '../model/request.ts'
import { isAmong } from './late-tools.ts'
import { toolName } from './names.ts'
import { invalid } from '../model/problem.ts'
import { isMadeHere } from '../model/proof.ts'
import { rememberedEach } from '../model/remembered.ts'

/**
 * Reports what the target's writer never sees: leftovers, whole blocks and tools of other dialects. The writer
 * itself reports what it cannot express, and proofs of other dialects, because only it knows whether it could carry
 * them.
 */
export function reportForeign(request: Request, target: DialectName, lose: Lose): void {
  const report = reporter(target, isEmpty)
  if (request.ext) reporter(target, isUnset)(request.ext, lose, '')
  report(request.reasoning?.ext, lose, 'reasoning')
  report(request.compact?.ext, lose, 'compaction')
  // A summary above a number of tokens is a wish for later, so the turn goes on without it.
  const isWish = request.compact !== undefined && request.compact.now === undefined
  if (isWish && request.origin?.dialect !== target) lose('dropped', 'compaction.threshold')
  report(request.toolChoice?.ext, lose, 'toolChoice')
  report(request.format?.ext, lose, 'format')
  const at = lossesIn(lose)
  const reportMember = reporter(target, saysNothing)
  const blocks = foreignBlocks(request, target, reportMember)
  blocks(request.system, at, 'system')
  const given = [target, request.origin?.dialect, request.tools]
  reportEach(request.turns, given, lose, (_, heard) => {
    const turnAt = lossesIn(heard)
    const inTurn = lossesIn(turnAt('turns'))
    return (turn, index) => {
      const told = turnAt('turns', index)
      report(turn.ext, told, '')
      if (turn.damagedProof && request.origin?.dialect !== target) told('dropped', '.seal', DAMAGED)
      blocks(turn.blocks, inTurn, '.blocks')
    }
  })
  for (const tool of request.tools)
    reportTool(tool, target, at('tools', toolName(tool)), reportMember)
}

/** What is said of a proof in an envelope that was changed on its way. */
export const DAMAGED = 'came back damaged'

const reportEach = rememberedEach<Turn, void>()

type ReportBlocks = (
  list: readonly Block[],
  at: At,
  name: 'system' | '.blocks' | '.content',
) => void

function foreignBlocks(request: Request, target: DialectName, report: Report): ReportBlocks {
  // The writer of the dialect that it was read in says so itself.
  const isOwn = request.origin?.dialect === target
  const blocks: ReportBlocks = (list, at, name) => {
    for (const [index, block] of list.entries()) {
      const lose = at(name, index)
      if (block.kind === 'opaque') {
        const code = block.words ? 'approximated' : 'dropped'
        if (block.dialect !== target && !isMadeHere(block))
          lossesIn(lose)('', blockName(block))(code, '')
        continue
      }
      report(block.ext, lose, '')
      if ('cache' in block) report(block.cache?.ext, lose, '.cache')
      if (block.damagedProof && !isOwn) lose('dropped', '.seal', DAMAGED)
      if (block.kind === 'tool-change' && !isOwn && !block.tools.every(isAmong(request.tools)))
        lose('dropped', '', 'the tool is not offered')
      if (block.kind === 'tool-result') blocks(block.content, lossesIn(lose), '.content')
      if (block.kind === 'text')
        for (const citation of block.citations ?? []) report(citation.ext, lose, '.citations')
    }
  }
  return blocks
}

/**
 * The same of a reply, one event after the other: what its writer is not asked to say. `caller`: the dialect
 * that it is written in. `carriesSummaries`: in an envelope, which comes back with the next request.
 */
export function replyReporter(
  caller: DialectName,
  lose: Lose,
  carriesSummaries = false,
): (event: Event) => void {
  const report = reporter(caller, isPlain)
  const at = lossesIn(lose)
  const others = new Map<number, (event: Event) => void>()
  let told = at('reply')
  return (event) => {
    if (event.type === 'candidate') {
      const other = others.get(event.index) ?? replyReporter(caller, lose, carriesSummaries)
      others.set(event.index, other)
      return other(event.event)
    }
    if ('block' in event) {
      const { block } = event
      told = at('reply', blockName(block))
      if (block.kind !== 'opaque') report(block.ext, told, '')
      else if (block.dialect !== caller && !(block.summary && carriesSummaries)) told('dropped', '')
      if (block.kind === 'search')
        for (const { ext } of block.sources) report(ext, told, '.sources')
    } else if ('tail' in event) report(event.tail.ext, told, '')
    else if ('usage' in event) report(event.usage.ext, lose, 'reply.usage')
    else if ('citation' in event) report(event.citation.ext, lose, 'reply.citations')
    else if ('ext' in event) report(event.ext, lose, 'reply')
  }
}

/** For a dialect that cannot say which thoughts of the request the model was not shown. */
export function reportWithheld({ withheld = [] }: StartEvent | FinishEvent, lose: Lose) {
  for (const { reason } of withheld) lose('dropped', WITHHELD, reason)
}

/** Made only where there is a loss to report, because most places have none. */
type Place = () => string
type Report = (ext: Ext | undefined, lose: Lose | LoseOf, list: ListName) => void

const reporter =
  (target: DialectName, isNothing: (value: Json) => boolean): Report =>
  (ext, lose, list) => {
    if (!ext) return
    for (const [dialect, fields] of Object.entries(ext)) {
      if (dialect === target) continue
      // A list of pairs would take as long as everything else that is done with many members.
      for (const key of Object.keys(fields))
        if (!isNothing(fields[key] ?? null)) lossesIn(lose)(list, key)('dropped', '')
    }
  }

function reportTool(tool: Tool, target: DialectName, lose: LoseOf, report: Report): void {
  if (tool.kind === 'opaque') {
    if (tool.dialect !== target) lose('dropped', '')
    return
  }
  report(tool.ext, lose, '')
  report(tool.cache?.ext, lose, '.cache')
}

/** Reports what is asked of a service that keeps replies and prompts, where a dialect has no words for it. */
export function reportUnkept({ caching = {} }: Request, lose: Lose): void {
  if (caching.prewarm) lose('dropped', 'caching.prewarm')
  if (caching.comparedWith !== undefined) lose('dropped', 'caching.comparedWith')
}

/**
 * A file id means something to the service that issued it and to no other: between two dialects it can
 * neither be carried nor left out without the model answering something else than was asked.
 */
export function refuseFileIds({ system, turns }: Request): void {
  const check = (blocks: readonly Block[], path: Place): void => {
    for (const [index, block] of blocks.entries()) {
      if (block.kind === 'tool-result') check(block.content, () => `${path()}.${index}.content`)
      if (block.kind !== 'media' || !('fileId' in block.source)) continue
      const place = `${path()}.${index}`
      const what = `the file id '${block.source.fileId}' is known only to the service that issued it`
      throw invalid(`${place}: ${what}; send the file's data or its URL instead.`, place)
    }
  }
  check(system, () => 'system')
  fileIdEach(turns, [], nothingLost, () => ({ blocks }, index) => {
    check(blocks, () => `turns.${index}.blocks`)
  })
}

const fileIdEach = rememberedEach<Turn, void>()

/** What decides whether another service can do what a request asks for. */
export interface UpstreamKeeping {
  /** Members of the caller's dialect, and types of its blocks and tools, that no other service can keep to. */
  readonly mustKeep?: ReadonlySet<string> | undefined
  /** Tools, as `promises`, where nothing else searches for the answer. */
  readonly sources?: ReadonlySet<string> | undefined
  readonly target: DialectName
}

/**
 * Some features cannot be approximated: who pays, what is checked, what is stored at one service. Another service
 * cannot provide them, and without them it would be another request. The same holds for a summary that only its own
 * service can read.
 */
export function refuseUnkept(request: Request, keeping: UpstreamKeeping): void {
  const { mustKeep = NONE, sources = NONE, target } = keeping
  const check = (word: string, place: string, among = mustKeep): void => {
    if (!among.has(word)) return
    refuse(place, `only a service that speaks ${request.origin?.dialect} can do what it asks for`)
  }
  const checkBlocks = (blocks: readonly Block[], path: Place): void => {
    for (const [index, block] of blocks.entries()) {
      if (block.kind === 'tool-result')
        checkBlocks(block.content, () => `${path()}.${index}.content`)
      if (block.kind !== 'opaque') {
        const { caller } = block.ext?.[request.origin?.dialect ?? ''] ?? {}
        if (isObject(caller)) check(typeName(caller), `${path()}.${index}.caller`)
        continue
      }
      // A block of the target's own dialect is not foreign.
      if (block.dialect === target) continue
      const place = `${path()}.${index}.${typeName(block.value)}`
      if (!block.summary) check(typeName(block.value), place)
      else if (block.words === undefined)
        refuse(place, `only a service that speaks ${block.dialect} can read this summary`)
    }
  }
  for (const fields of Object.values(request.ext ?? {}))
    for (const key of Object.keys(fields))
      if (mustKeep.has(key) && !isUnset(fields[key] ?? null)) check(key, key)
  const alone = request.tools.some(isWebTool) ? NONE : sources
  for (const tool of request.tools) {
    if (tool.kind === 'opaque') check(tool.name, `tools.${tool.name}`)
    const word = tool.kind === 'hosted' ? tool.capability : tool.name
    check(word, `tools.${word}`, alone)
  }
  const given = [mustKeep, target, request.origin?.dialect]
  unkeptEach(request.turns, given, nothingLost, () => ({ blocks }, index) => {
    checkBlocks(blocks, () => `turns.${index}.blocks`)
  })
}

const unkeptEach = rememberedEach<Turn, void>()

const isWebTool = (tool: Tool): boolean =>
  tool.kind === 'hosted' && tool.capability.startsWith('web-')

function refuse(place: string, what: string): never {
  throw invalid(`${place}: ${what}; leave it out, or send the request to such a service.`, place)
}

const NONE: ReadonlySet<string> = new Set()

/** Null and an empty list say nothing, so nothing is lost with them; an empty object asks for a feature as it is. */
const isEmpty = (value: Json): boolean =>
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (value instanceof Verbatim && isEmpty(value.value))

/** Programs also send an empty text for a setting that is not set. */
const isUnset = (value: Json): boolean => value === '' || isEmpty(value)

/** Nor does the caller of a tool, where that is the model itself (`allowed_callers`, `caller`). */
const saysNothing = (value: Json): boolean =>
  value === 'direct' ||
  isEmpty(value) ||
  (Array.isArray(value) ? value.every(saysNothing) : isObject(value) && isDirect(value))

const isDirect = ({ type, ...others }: JsonObject): boolean =>
  type === 'direct' && Object.keys(others).length === 0

/** Values that only name a default. */
const USUAL = /^(?:|auto|default|direct|standard|global|not_available|on_demand)$/i

/** Whether a reply's member only says that nothing was counted or found, or that a default holds. */
function isPlain(value: Json): boolean {
  if (typeof value === 'string') return USUAL.test(value)
  return isObject(value) ? Object.values(value).every(isPlain) : !value || isEmpty(value)
}

/** Tells what is lost of a block of a reply. */
export const loseOfReply = (lose: Lose, block: Block): LoseOf =>
  lossesIn(lose)('reply', blockName(block))

/** What a report of a loss calls a block of a reply. */
export const blockName = (block: Block): string =>
  block.kind === 'opaque' ? typeName(block.value) : block.kind

/** Its type, or the member that tells what it is where there are no types. */
function typeName(value: JsonObject): string {
  const { type } = value
  if (typeof type === 'string') return type
  return Object.keys(value).find((key) => isObject(value[key])) ?? 'block'
}
