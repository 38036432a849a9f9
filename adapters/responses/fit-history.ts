import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { lossesIn, lossesInTurns, type Lose, type LoseOf } from '../../src/model/loss.ts'
import { leftOutFile } from '../../src/rules/media.ts'
import { lowerInput as wrapInput, instructionWords } from '../../src/rules/text-tools.ts'
import type { ServerFacts } from '../contract.ts'
import { noteOrigin, originOf } from '../openai/origins.ts'
import { withMediaBehind, type ResultWire } from '../openai/smaller-servers.ts'
import type { Takes } from './abilities.ts'
import { PARAGRAPH } from './blocks.ts'
import { readRole, type Placed } from './calls.ts'
import { listOf, objectsOf, openedContent, memberText } from './dialect.ts'
import { summaryIn } from './hosted.ts'
import { hasWords, isUnproven } from './reasoning.ts'
import { typeOfItem, type WireItem } from './wire.ts'

/** What a body is fitted by. `flat` names tools for servers without namespaces. */
export interface ServerFit {
  readonly server: ServerFacts
  readonly takes: Takes
  readonly lose: Lose
  readonly items: ItemLosses
  flat(name: string, namespace: string | undefined): string
}

/** Writes the conversation as the server takes it. */
export function fitHistory(body: JsonObject, context: ServerFit): JsonObject {
  const { input } = body
  const { items: losses, server } = context
  if (!Array.isArray(input)) return body
  const items = withElements(input, (item) => {
    if (!isObject(item)) return item
    losses.next(item)
    const fitted = fitItem(withoutFiles(item, context), context)
    // Instructions that become the user's words are reported where they stood.
    const isNoted = server.systemFirst && isObject(fitted) && instructs(fitted)
    return isNoted ? noteOrigin(fitted, { place: losses.ofTurn().place() }) : fitted
  })
  const shown = server.toolMedia === false ? withMediaBehind(items, RESULTS) : items
  const whole = withMembers(body, { input: shown })
  return server.systemFirst ? withSystemFirst(whole, context) : whole
}

type Fitted = JsonObject | readonly JsonObject[]

function fitItem(item: JsonObject, context: ServerFit): Fitted {
  const { server, takes, items } = context
  const type = typeOfItem(item)
  switch (type) {
    case 'message':
      return withDetail(
        server.developerRole === false && item['role'] === 'developer'
          ? withMembers(item, { role: 'system' })
          : item,
        context,
      )
    case 'function_call':
      return withFlatName(item, context)
    case 'custom_tool_call':
      return fitCall(withFlatName(item, context), context)
    case 'function_call_output':
      return item
    case 'custom_tool_call_output':
      return server.customTools === false
        ? withMembers(item, { type: 'function_call_output', id: undefined })
        : item
    case 'reasoning':
      return fitThought(item, context)
    // What is left out here was moved before the conversation: `withLateTools`, `withLastEffort`.
    case 'additional_tools':
      return takes.late ? item : []
    case 'configuration_update':
      return takes.efforts ? item : []
    case 'agent_message':
      return server.otherItems === false ? asWords(item, context) : item
    default: {
      if (server.compacts && isOfSummaries(item)) return item
      const isTaken = server.otherItems !== false && (takes.deferred || !isServerSearch(item))
      return isTaken ? item : (items.of()('dropped', '') ?? [])
    }
  }
}

/** A summary, or the order for one. */
const isOfSummaries = (item: WireItem): boolean =>
  item.type === 'compaction_trigger' || summaryIn(item) !== undefined

/** A search for tools that the service makes, and what it found. */
const isServerSearch = ({ type, execution }: JsonObject): boolean =>
  (type === 'tool_search_call' || type === 'tool_search_output') && execution !== 'client'

/** Writes the default detail of a picture, for servers that demand the member as the client's types do. */
function withDetail(item: JsonObject, { server }: ServerFit): JsonObject {
  const parts = item['content']
  if (!server.imageDetail || !Array.isArray(parts)) return item
  const said = withElements(parts, (part) =>
    isObject(part) && part['type'] === 'input_image' && (part['detail'] ?? null) === null
      ? { ...part, detail: 'auto' }
      : part,
  )
  return withMembers(item, { content: said })
}

/** Replaces a document that the server cannot read by a text that names it. */
function withoutFiles(item: JsonObject, { server, items }: ServerFit): JsonObject {
  if (server.files !== false) return item
  const withoutIn = (member: 'content' | 'output'): JsonObject => {
    const parts = item[member]
    if (!Array.isArray(parts)) return {}
    const kept = withElements(parts, (part, index) => {
      if (!isObject(part) || part['type'] !== 'input_file') return part
      const isResult = member === 'output'
      const loseHere = isResult ? lossesIn(items.of())('.content', index) : items.of(index)
      loseHere('dropped', '')
      return { type: 'input_text', text: leftOutFile(memberText(part, 'filename')) }
    })
    return { [member]: kept }
  }
  return withMembers(item, { ...withoutIn('content'), ...withoutIn('output') })
}

function withFlatName(item: JsonObject, { server, flat }: ServerFit): JsonObject {
  const name = memberText(item, 'name')
  if (server.namespaces !== false || name === undefined) return item
  const namespace = memberText(item, 'namespace')
  return namespace === undefined
    ? item
    : withMembers(item, { name: flat(name, namespace), namespace: undefined })
}

function fitCall(item: JsonObject, { server }: ServerFit): JsonObject {
  if (server.customTools !== false) return item
  return withMembers(item, {
    type: 'function_call',
    // The prefix of an id tells the type of its item, which has changed.
    id: undefined,
    input: undefined,
    arguments: wrapInput(memberText(item, 'input') ?? ''),
  })
}

/** A message from one agent of Codex to another, as text. */
function asWords(item: JsonObject, { items }: ServerFit): Fitted {
  const text = textsIn(openedContent(item['content'])).join('\n')
  if (text === '') return items.of()('dropped', '') ?? []
  items.of()('approximated', '')
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

const textsIn = (content: Json | undefined): string[] =>
  typeof content === 'string'
    ? [content]
    : objectsOf(content).flatMap((part) => memberText(part, 'text') || [])

/** xAI refuses null members; llama.cpp and vLLM read only the thoughts themselves. */
function fitThought(item: JsonObject, { server, items }: ServerFit): Fitted {
  const { reasoningItems, unprovenThoughts } = server
  if (reasoningItems === false || (unprovenThoughts === false && isUnknown(item))) {
    if (hasWords(item)) items.of()('dropped', '')
    return []
  }
  if (!unprovenThoughts)
    return withMembers(item, {
      ...(item['content'] === null && { content: undefined }),
      ...(item['encrypted_content'] === null && { encrypted_content: undefined }),
    })
  if (isOpen(item)) return item
  const texts = [textsIn(item['content']), textsIn(item['summary'])].find((some) => some.length > 0)
  if (!texts) return item['encrypted_content'] ? (items.of()('dropped', '.seal') ?? []) : []
  return withMembers(item, {
    summary: item['summary'] ?? [],
    content: [{ type: 'reasoning_text', text: texts.join(PARAGRAPH) }],
    encrypted_content: undefined,
  })
}

/** Whether the item already has the form in which servers of open models give out thoughts. */
function isOpen(item: JsonObject): boolean {
  const [only, ...others] = objectsOf(item['content'])
  const isWhole = only?.['type'] === 'reasoning_text' && others.length === 0
  return isWhole && item['encrypted_content'] === undefined && Array.isArray(item['summary'])
}

/** Thoughts with neither a proof nor an id, by which a service could know them. */
const isUnknown = (item: JsonObject): boolean =>
  isUnproven(item) && memberText(item, 'id') === undefined

/** How results and messages stand here, for servers that take results as texts alone (llama.cpp). */
const RESULTS: ResultWire = {
  isResult: (item) => typeOfItem(item).endsWith('_output'),
  found: 'output',
  id: 'call_id',
  isText: true,
  says: (label, media) => [{ type: 'input_text', text: label }, ...media],
  asUser: (content) => ({ type: 'message', role: 'user', content }),
}

/** The templates of Qwen and others take instructions only at the beginning, so leading ones join `instructions`. */
function withSystemFirst(body: JsonObject, { lose }: ServerFit): JsonObject {
  const input = objectsOf(body['input'])
  const first = input.findIndex((item) => !instructs(item))
  const leading = input.slice(0, first < 0 ? input.length : first)
  const said = leading.map(({ content }) => textsIn(content).join(PARAGRAPH))
  const instructions = [memberText(body, 'instructions') ?? '', ...said]
    .filter(Boolean)
    .join(PARAGRAPH)
  // The instructions alone would be no conversation.
  const isAlone = leading.length === input.length
  const rest = input.slice(isAlone ? 0 : leading.length)
  const at = lossesIn(lose)
  const items = withElements(rest, (item, index) => {
    if (!instructs(item)) return item
    const text = textsIn(item['content']).join(PARAGRAPH)
    const noted = originOf(item)?.place
    const loseHere = noted === undefined ? at('turns', index) : at(noted)
    loseHere('approximated', '.role')
    return { type: 'message', role: 'user', content: instructionWords(text) }
  })
  return withMembers(body, {
    ...(!isAlone && instructions !== '' && { instructions }),
    input:
      items.length === input.length && items.every((item, at) => item === input[at])
        ? body['input']
        : items,
  })
}

export const instructs = (item: JsonObject): boolean =>
  typeOfItem(item) === 'message' && (item['role'] === 'developer' || item['role'] === 'system')

/** Tells what is lost of the items of a conversation, which are gone through in their order. */
export interface ItemLosses {
  next(item: JsonObject): void
  /** Tells what is lost of the last item, or of a part of it. */
  of(part?: number): LoseOf
  /** Tells what is lost of the turn of the last item. */
  ofTurn(): LoseOf
}

/** The side of an item that is no message. */
function roleOf(type: string, item: JsonObject): string {
  if (/^(?:additional_tools|configuration_update|agent_message)$/.test(type)) return ALONE
  return isServerSearch(item) ? 'assistant' : readRole(type)
}

/** The side of an item that is a turn of its own. */
const ALONE = ''

/** Counts items as turns and blocks: neighbouring items of one side form a turn with at most one message. */
export class CountedItems implements ItemLosses {
  readonly #at: ReturnType<typeof lossesInTurns>
  #turn = -1
  #block = 0
  /** How many blocks the last item has. */
  #size = 0
  #role = ''
  #hasMessage = false

  constructor(lose: Lose) {
    this.#at = lossesInTurns(lose)
  }

  next(item: JsonObject): void {
    const type = typeOfItem(item)
    const isMessage = type === 'message'
    const role = isMessage ? (memberText(item, 'role') ?? '') : roleOf(type, item)
    const continues = role === this.#role && role !== ALONE && !(isMessage && this.#hasMessage)
    this.#block = continues ? this.#block + this.#size : 0
    if (!continues) this.#turn += 1
    this.#role = role
    this.#hasMessage = isMessage || (continues && this.#hasMessage)
    this.#size = isMessage ? Math.max(1, listOf(item['content']).length) : 1
  }

  of(part = 0): LoseOf {
    return this.#at(this.#turn, this.#block + part)
  }

  ofTurn(): LoseOf {
    return this.#at(this.#turn)
  }
}

/** The items of a body that was written here, so that each one's place is known. */
export class WrittenItems implements ItemLosses {
  readonly #placed: readonly Placed[]
  readonly #lose: Lose
  #places: ReadonlyMap<JsonObject | undefined, ItemPlace> | undefined
  #item: JsonObject | undefined

  constructor(placed: readonly Placed[], lose: Lose) {
    this.#placed = placed
    this.#lose = lose
  }

  next(item: JsonObject): void {
    this.#item = item
  }

  of(part = 0): LoseOf {
    const place = this.#place()
    if (!place) return lossesIn(this.#lose)('turns')
    return lossesInTurns(this.#lose)(place.turn, place.block + (place.isMessage ? part : 0))
  }

  ofTurn(): LoseOf {
    const place = this.#place()
    return place ? lossesInTurns(this.#lose)(place.turn) : lossesIn(this.#lose)('turns')
  }

  /** Looked up only where something is lost. */
  #place(): ItemPlace | undefined {
    this.#places ??= placesOf(this.#placed)
    return this.#places.get(this.#item)
  }
}

interface ItemPlace {
  readonly turn: number
  /** The number of the block, or of the first one. */
  readonly block: number
  readonly isMessage: boolean
}

/** An item is one block, and a message one for each part. Its first part is numbered behind the block before it. */
function placesOf(placed: readonly Placed[]) {
  const places = new Map<JsonObject | undefined, ItemPlace>()
  let next = { turn: -1, block: 0 }
  for (const { item, block: own, turn } of placed) {
    const block = own ?? (next.turn === turn ? next.block : 0)
    const isMessage = own === undefined
    places.set(item, { turn, block, isMessage })
    next = { turn, block: block + (isMessage ? listOf(item.content).length : 1) }
  }
  return places
}
