import {
  parseObject,
  stringify,
  wellFormed,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { type NameRule, shortenName, uniqueIds } from '../../src/rules/names.ts'
import { fingerprint } from '../../src/model/proof.ts'
import { invalid, type ProblemError } from '../../src/model/problem.ts'
import { lossesInTurns, nothingLost } from '../../src/model/loss.ts'
import { nothingListed, rememberedWalk, WalkMap, type Listed } from '../../src/model/remembered.ts'
import { parted, type Part } from '../../src/rules/notes.ts'
import type { ToolCallBlock, Turn } from '../../src/model/request.ts'
import type { ServerFacts } from '../contract.ts'
import type { Said } from './blocks.ts'
import {
  DIALECT,
  listIn,
  objectIn,
  restOf,
  textIn,
  writeCache,
  type ElementContext,
  type WriteContext,
} from './dialect.ts'

/**
 * A message in the members of this dialect. For models with `claude` in their names Cursor puts blocks of the dialect
 * `messages` into its content (forum.cursor.com 145588).
 */
export function inOwnMembers({ content, ...beside }: JsonObject): JsonObject[] {
  const parts = listIn(content)
  const tool_calls = parts.filter(isCall).map(callIn)
  const rest = parts.filter((part) => !isCall(part) && !isResult(part))
  const isMore = rest.length + tool_calls.length > 0
  return [
    ...parts.filter(isResult).map(resultIn),
    ...(isMore ? [{ ...beside, content: rest, tool_calls }] : []),
  ]
}

export const hasBlocks = ({ content }: JsonObject): boolean =>
  Array.isArray(content) && content.some((part) => isCall(part) || isResult(part))

const isCall = (part: Json): boolean => objectIn(part)['type'] === 'tool_use'
const isResult = (part: Json): boolean => objectIn(part)['type'] === 'tool_result'

function callIn(part: Json): JsonObject {
  const { type: _, name = '', input = {}, ...rest } = objectIn(part)
  return { ...rest, function: { name, arguments: input } }
}

function resultIn(part: Json): JsonObject {
  const { type: _, tool_use_id = '', ...rest } = objectIn(part)
  return { ...rest, role: 'tool', tool_call_id: tool_use_id }
}

/** The calls of a conversation that is being read, to tell which one a result answers. */
export interface SaidCalls {
  /** The names of the calls, by their ids. */
  readonly names: WalkMap<string, string>
  /** The ids that calls of the old form were given, by their names and numbers. */
  readonly unnamed: WalkMap<string, string>
  /** How many of these calls were made, and how many answered, by their names. */
  readonly made: WalkMap<string, number>
  readonly answered: WalkMap<string, number>
  /** The calls of the model's last message that have no result yet, by their ids. */
  open: Set<string>
}

const numbered = (name: string, number: number): string => `${number} ${name}`

/** Notes the calls of a message. */
export function addCalls(said: SaidCalls, { blocks, facts }: Said): void {
  const calls = blocks.filter((block) => block.kind === 'tool-call')
  for (const { id, name } of calls) said.names.set(id, name)
  said.open = new Set(calls.map(({ id }) => id))
  const last = calls.at(-1)
  if (!facts.functionCall || !last) return
  const number = said.made.get(last.name) ?? 0
  said.unnamed.set(numbered(last.name, number), last.id)
  said.made.set(last.name, number + 1)
}

/** The id of the call that a result of the old form answers: of several with its name, the first that is open. */
export function answeredByName(said: SaidCalls, name: string): string {
  const number = said.answered.get(name) ?? 0
  const id = said.unnamed.get(numbered(name, number))
  // A result without a call is not counted, or it would take a later result's call.
  if (id !== undefined) said.answered.set(name, number + 1)
  said.open.delete(id ?? name)
  return id ?? name
}

/** The SDK of Mistral for Python (mistralai 3.7) may leave the id out. Then the only open call is answered. */
export function answeredById({ open }: SaidCalls, said: string, place: string): string {
  const [only] = open
  const id = said === '' && open.size === 1 ? (only ?? '') : said
  if (id === '') throw unclear(open.size, place)
  open.delete(id)
  return id
}

function unclear(open: number, place: string): ProblemError {
  const calls = open === 0 ? 'no call waits for a result' : `${open} calls wait for a result`
  const what = `is missing, and ${calls}; say which call this one belongs to`
  return invalid(`${place}: ${what}.`, place)
}

/** A turn, or a part of one, with its number. */
export interface PlacedTurn extends Part {
  index: number
}

export type TurnGroup = readonly PlacedTurn[]

const placedParts = (turn: Turn, index: number): PlacedTurn[] =>
  parted(turn, DIALECT).map((part) => ({ ...part, index }))

const togetherWalk = rememberedWalk<Turn, Listed<TurnGroup, PlacedTurn>>()

/**
 * Groups turns that become one message. Neighbouring turns of another dialect's model were one reply, and the templates
 * of Gemma and Mistral want roles to alternate.
 */
export function writtenTogether(turns: readonly Turn[], own: boolean): readonly TurnGroup[] {
  const { all, open } = togetherWalk(
    turns,
    [own],
    nothingLost,
    nothingListed,
    (state, turn, at) => {
      for (const part of at.made(placedParts, turn, at.index)) {
        const isModel = state.open[0]?.turn.role === 'assistant'
        // Nothing may stand between calls and their results, so the note stands before the calls.
        if (part.isNote && isModel && state.open.some(isCalling)) state.all.push([part])
        else if (!part.isNote && !own && isModel && part.turn.role === 'assistant')
          state.open.push(part)
        else {
          if (state.open.length > 0) state.all.push(state.open)
          state.open = [part]
        }
      }
    },
  )
  return [...all, open]
}

const isCalling = ({ turn }: PlacedTurn): boolean =>
  turn.blocks.some(({ kind }) => kind === 'tool-call')

/** OpenAI refuses a longer id. */
const LONGEST_ID = 40
const NINE = 9

/** Writes the same id for a call and for its result; changes it only where the server would refuse it. */
export function writeCallId(id: string, { callIds = LONGEST_ID }: ServerFacts = {}): string {
  if (callIds !== 'nine') return shortenName(id, idRule(callIds))
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : nineLetters(id)
}

/**
 * Makes the ids of one message differ: OpenAI refuses two results with one id (`Duplicate value for 'tool_call_id'`).
 * The message may hold several turns of another dialect, whose services may number the calls anew in each.
 */
export function distinctIds({ own }: WriteContext): (id: string) => string {
  const distinct = uniqueIds(idRule(LONGEST_ID))
  return (id) => (own ? id : distinct(id))
}

const idRule = (maxLength: number): NameRule => ({ forbidden: /(?!)/, maxLength })

/** Mistral takes ids of nine letters and digits, so the id becomes a hash of 46 bits. */
const nineLetters = (id: string): string =>
  BigInt(`0x${fingerprint(id)}`)
    .toString(36)
    .padStart(NINE, '0')
    .slice(-NINE)

export function writeCalls(calls: JsonObject[], isLegacy: boolean): JsonObject {
  if (calls.length === 0) return {}
  return isLegacy ? { function_call: objectIn(calls[0]?.['function']) } : { tool_calls: calls }
}

export function writeCall(block: ToolCallBlock, id: string, context: ElementContext): JsonObject {
  const { function: inner, extra_content, ...left } = restOf(block)
  const name = context.names.toWire(block.name, block.namespace)
  const cache = writeCache(block, context)
  const extra = extra_content === undefined ? {} : { extra_content }
  if (block.form === 'text')
    return {
      id,
      type: 'custom',
      custom: { name, input: block.input, ...objectIn(inner) },
      ...extra,
      ...left,
      ...cache,
    }
  return {
    id,
    type: 'function',
    function: { name, arguments: writeArguments(block, context), ...objectIn(inner) },
    ...extra,
    ...left,
    ...cache,
  }
}

/**
 * The arguments of a call. Servers whose templates parse arguments fail on text that was cut off, so text that is no
 * object is replaced, unless a caller of this dialect wrote it.
 */
function writeArguments({ input }: ToolCallBlock, { lose, own }: ElementContext): string {
  if (input.trim() === '') return '{}'
  if (own || parseObject(input)) return wellFormed(input)
  lose('approximated', '.input', 'not a JSON object')
  return '{}'
}

/** The dialect has no flag for a failed tool, so the text of its result says so. */
export function markedError(texts: JsonObject[]): JsonObject[] {
  const [first = { type: 'text', text: '' }, ...others] = texts
  const text = textIn(first['text'])
  return /^error:/i.test(text) ? texts : [{ ...first, text: `Error: ${text}` }, ...others]
}

/** One message on its way out. */
export interface Placed {
  /** The number of its turn, and that of its block where it comes from a single one. */
  turn: number
  block?: number
  message: JsonObject
  /** The ids of the calls that it makes: as their results have them, and on the wire. */
  calls?: [string, string][]
  /** The id of the call that it answers. */
  resultOf?: string
}

/** A message as its turn writes it: a turn does not know its own number. */
export type OfTurn = Omit<Placed, 'turn'>

const repairWalk = rememberedWalk<readonly Placed[], Listed<JsonObject, Placed>>()

/**
 * Results must stand directly behind the message with their calls, with nothing between. So results are moved
 * there, missing ones are made up, and a result without a call becomes text of the user.
 */
export function repair(
  written: readonly (readonly Placed[])[],
  { lose, own }: WriteContext,
): JsonObject[] {
  const { all, open } = repairWalk(written, [own], lose, nothingListed, (state, placed, at) => {
    for (const one of placed) {
      const [first] = state.open
      // All messages up to the model's next one belong to the one that makes calls.
      if (first && isCalled(first) && one.message['role'] !== 'assistant') state.open.push(one)
      else {
        state.all.push(...repairGroup(state.open, { own, lose: at.lose }))
        state.open = [one]
      }
    }
  })
  return [...all, ...repairGroup(open, { own, lose })]
}

const isCalled = ({ calls = [] }: Placed): boolean => calls.length > 0

type RepairContext = Pick<WriteContext, 'own' | 'lose'>

function repairGroup([first, ...behind]: readonly Placed[], context: RepairContext): JsonObject[] {
  if (!first) return []
  if (isCalled(first)) return [first.message, ...answered(first, behind, context)]
  return [first.resultOf === undefined ? first.message : orphan(first, context)]
}

function answered(
  { calls = [], turn }: Placed,
  behind: readonly Placed[],
  context: RepairContext,
): JsonObject[] {
  const { lose } = context
  const waiting = new Map(calls.map(([id]): [string, string[]] => [id, []]))
  for (const [id, call] of calls) waiting.get(id)?.push(call)
  const results: JsonObject[] = []
  const given = new Map<string, JsonObject>()
  const others: JsonObject[] = []
  let moved = false
  for (const one of behind) {
    const { message, resultOf } = one
    const id = resultOf === undefined ? resultOf : waiting.get(resultOf)?.shift()
    if (resultOf === undefined) others.push(message)
    else if (id !== undefined) {
      moved ||= others.length > 0
      given.set(resultOf, message)
      results.push(id === resultOf ? message : { ...message, tool_call_id: id })
    } else if (stringify(given.get(resultOf) ?? null) === stringify(message))
      // Gemini CLI (0.61.0) gives every result twice in a session that it has resumed.
      lossesInTurns(lose)(one.turn, one.block)('dropped', '', 'a result that is there already')
    else others.push(orphan(one, context))
  }
  if (moved) lossesInTurns(lose)(turn)('reordered', '.results', 'results follow their calls')
  for (const id of [...waiting.values()].flat()) {
    lossesInTurns(lose)(turn)('defaulted', '.results', 'a call without a result')
    results.push({ role: 'tool', tool_call_id: id, content: '[no result: interrupted]' })
  }
  return [...results, ...others]
}

/** A result whose call is not the model's last one is told in words. */
function orphan(
  { message, turn, block, resultOf = '' }: Placed,
  { lose, own }: RepairContext,
): JsonObject {
  if (message['role'] === 'function' || (own && resultOf === '')) return message
  lossesInTurns(lose)(turn, block)('approximated', '', 'a result without its call')
  const heading = `[result of an earlier tool call, ${resultOf}]`
  return { role: 'user', content: `${heading}\n${plain(message['content'])}` }
}

const plain = (content: Json | undefined): string =>
  Array.isArray(content)
    ? content
        .map((part) =>
          typeof part === 'object' && part !== null && 'text' in part ? textIn(part['text']) : '',
        )
        .join('')
    : textIn(content)
