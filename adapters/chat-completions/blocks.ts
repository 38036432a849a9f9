import { type Json, type JsonObject, isObject, toText } from '../../src/json/json.ts'
import { withTail } from '../../src/model/events.ts'
import type { Block, Proof, ReasoningBlock, ToolCallBlock } from '../../src/model/request.ts'
import {
  DIALECT,
  keep,
  restOf,
  factsOf,
  textIn,
  listIn,
  objectIn,
  objectsIn,
  isAbsent,
  withoutAbsent,
  readCache,
  cacheFacts,
  unlessEmpty,
  type Facts,
} from './dialect.ts'
import { readAudio, readDrawn, readFile, readImage } from './media.ts'
import { type TextSpan, type Thought, readExtraContent, readProven, unsigned } from './proofs.ts'
import { ownProofMembers, thoughtIn } from './thoughts.ts'

type ReadPart = (part: JsonObject) => Block

/** Parts of a message's content; a type without a reader is kept whole. */
export const PARTS = {
  text: readText,
  // Callers that also speak the Responses API send its part types here.
  input_text: readText,
  output_text: readText,
  image_url: readImage,
  input_audio: readAudio,
  file: readFile,
  refusal: readRefusal,
} satisfies Record<string, ReadPart>

const READERS = new Map<Json | undefined, ReadPart>(Object.entries(PARTS))

function readText(part: JsonObject): Block {
  const { type: _, text, cache_control, prompt_cache_breakpoint, ...rest } = part
  const cache = readCache(part)
  return {
    kind: 'text',
    text: textIn(text),
    ...cache,
    ...keep('cache' in cache ? rest : { ...rest, cache_control, prompt_cache_breakpoint }, {
      facts: cacheFacts(part),
    }),
  }
}

function readRefusal(part: JsonObject): Block {
  const { type: _, refusal, ...rest } = part
  return {
    kind: 'refusal',
    text: textIn(refusal),
    ...keep(rest, { facts: { part: true } }),
  }
}

/** A part that says no type but has a text is one. */
const typeOf = ({ type, text }: JsonObject): Json | undefined =>
  isAbsent(type) && typeof text === 'string' ? 'text' : type

const readPart = (part: JsonObject): Block =>
  READERS.get(typeOf(part))?.(part) ?? { kind: 'opaque', dialect: DIALECT, value: part }

/** The content of a message: a text, or parts of which some may be texts themselves. */
export function readContent(content: Json | undefined): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  return listIn(content).flatMap((part): Block[] => {
    if (typeof part === 'string') return [{ kind: 'text', text: part }]
    return isObject(part) ? [readPart(part)] : []
  })
}

/** Whether the content came as a list. For a single text a list and a string mean the same. */
export const listFacts = (content: Json | undefined): Facts =>
  Array.isArray(content) ? { list: true } : {}

/** Mistral's part for a thought, in requests and in replies. */
export const isThinking = (part: JsonObject): boolean => part['type'] === 'thinking'

export function thinkingText({ thinking }: JsonObject): string {
  if (typeof thinking === 'string') return thinking
  return objectsIn(thinking)
    .map((part) => textIn(part['text']))
    .join('')
}

/** A call of the model: of a function, of a custom tool, or in the old `function_call` form. */
export function readCall(raw: JsonObject, id: string): ToolCallBlock {
  const {
    id: _id,
    type: _type,
    index: __,
    function: called,
    custom,
    extra_content,
    cache_control: _cache,
    ...rest
  } = raw
  const { name, arguments: given, input, parsed_arguments: _, ...left } = objectIn(called ?? custom)
  const isText = isObject(custom) && !isObject(called)
  const value = isText ? input : given
  return {
    kind: 'tool-call',
    id,
    name: textIn(name),
    form: isText ? 'text' : 'json',
    input: isText ? textIn(value) : argumentsText(value),
    ...readCache(raw),
    ...keep(
      { ...rest, function: unlessEmpty(left), extra_content: unlessEmpty(unsigned(extra_content)) },
      { facts: cacheFacts(raw) },
    ),
  }
}

/** Arguments are text; an object is taken as its JSON. An empty list is what PHP makes of an empty object. */
export function argumentsText(value: Json | undefined): string {
  if (typeof value === 'string') return value.trim() === '' ? '{}' : value
  return value === undefined || isAbsent(value) ? '{}' : toText(value)
}

/** What the model said, as blocks. `damaged`: a proof came back changed. */
export interface Said {
  blocks: Block[]
  damaged: boolean
  rest: JsonObject
  facts: Facts
}

/**
 * A message of the model, from a history or a reply. The message keeps thoughts, text and calls in separate
 * members, so their order is known only where proofs say it. Otherwise thoughts come first and calls last.
 */
export function readMessage(message: JsonObject, newCallId: (index: number) => string): Said {
  const { role: _, content, refusal, tool_calls, function_call, name, ...beside } = message
  // The library's own reading of the text, which comes back with its message (openai 7.55).
  const { images, parsed: _parsed, ...others } = beside
  const {
    reasoning_details,
    reasoning_content,
    reasoning,
    reasoning_text,
    reasoning_opaque,
    extra_content,
    ...rest
  } = others
  const { calls, damaged } = readCalls(tool_calls, function_call, newCallId)
  const ids = new Map(calls.map((call, index) => [call.id, index]))
  const plain = thoughtIn({ reasoning_content, reasoning, reasoning_text })
  const isCall = (id: string) => ids.has(id)
  const details = readProven(reasoning_details, isCall, objectsIn(tool_calls), plain)
  proveCalls(calls, ids, details.list)
  const { parts, thoughts } = splitThinking(content)
  const list = [...details.list, ...thoughts]
  if (!list.some(hasWords) && plain !== '') addWords(list, plain)
  if (textIn(reasoning_opaque) !== '') list.unshift(opaqueThought(list, textIn(reasoning_opaque)))
  const drawn = images ? objectsIn(images).map(readDrawn) : []
  const { proof } = readExtraContent(extra_content)
  const blocks = withSignature(layOut(list, [...readContent(parts), ...drawn], calls), proof)
  const isRefused = textIn(refusal) !== ''
  if (isRefused)
    blocks.splice(blocks.length - calls.length, 0, { kind: 'refusal', text: textIn(refusal) })
  return {
    blocks,
    damaged: damaged || details.damaged,
    rest: {
      ...withoutAbsent({ ...rest, extra_content: unsigned(extra_content) }),
      ...misshapen(message),
      ...(typeof name === 'string' && { name }),
    },
    facts: {
      ...(isObject(function_call) && !isAbsent(function_call['name']) && { functionCall: true }),
      // DeepSeek requires the member even when it is empty.
      ...(reasoning_content === '' && { reasoning_content }),
    },
  }
}

/** Entries may hold only what their provider can read, beside the words in a member of their own. */
const hasWords = (thought: Thought): boolean => thought.kind === 'thought' && thought.text !== ''

/** One entry that has a proof and no words has these. */
function addWords(list: Thought[], text: string): void {
  const [only] = list
  if (list.length === 1 && only?.kind === 'thought') list[0] = { ...only, text }
  else list.unshift({ kind: 'thought', text })
}

/** In which shapes members of a message are read. */
const SHAPES = new Map([
  ['content', 'string list'],
  ['refusal', 'string'],
  ['reasoning_content', 'string'],
  ['reasoning', 'string'],
  ['reasoning_text', 'string'],
  ['reasoning_opaque', 'string'],
  ['reasoning_details', 'list'],
  ['tool_calls', 'list'],
  ['function_call', 'object'],
  ['annotations', 'list'],
  ['images', 'list'],
])

/** The members in another shape, of which nothing is read. */
export function misshapen(message: JsonObject): JsonObject {
  const left: JsonObject = {}
  for (const [member, value] of Object.entries(message)) {
    const shapes = SHAPES.get(member)
    const shape = Array.isArray(value) ? 'list' : typeof value
    if (shapes && !shapes.includes(shape) && !isAbsent(value)) left[member] = value
  }
  return left
}

/** Gives calls their proofs, which stand among the thoughts. */
function proveCalls(
  calls: ToolCallBlock[],
  ids: ReadonlyMap<string, number>,
  thoughts: readonly Thought[],
): void {
  for (const thought of thoughts) {
    const index = thought.kind === 'call' ? ids.get(thought.id) : undefined
    const call = index === undefined ? undefined : calls[index]
    if (call && index !== undefined && thought.kind === 'call')
      calls[index] = { ...call, proof: thought.proof }
  }
}

/** Gemini signs the text of a message beside the message (any-llm#1320). */
function withSignature(blocks: Block[], proof: Proof | undefined): Block[] {
  if (!proof) return blocks
  const last = blocks.findLastIndex(({ kind }) => kind === 'text')
  const text = blocks[last]
  if (text?.kind === 'text') return text.proof ? blocks : blocks.with(last, { ...text, proof })
  const first = blocks.findIndex(({ kind }) => kind === 'tool-call')
  const signed: Block = { kind: 'text', text: '', proof }
  return blocks.toSpliced(first < 0 ? blocks.length : first, 0, signed)
}

/** GitHub Copilot's `reasoning_opaque` is a member of the message. It proves the thought and goes back with it. */
function opaqueThought(list: Thought[], opaque: string): Thought {
  const first = list.findIndex(({ kind }) => kind === 'thought')
  const [thought] = first < 0 ? [] : list.splice(first, 1)
  const text = thought?.kind === 'thought' ? thought.text : ''
  const proof = ownProofMembers({ reasoning_opaque: opaque })
  return { kind: 'thought', text, proof, ...(text === '' && { redacted: true }) }
}

function splitThinking(content: Json | undefined): {
  parts: Json | undefined
  thoughts: Thought[]
} {
  if (!Array.isArray(content)) return { parts: content, thoughts: [] }
  const thoughts: Thought[] = []
  const parts = content.filter((part) => {
    if (!isObject(part) || !isThinking(part)) return true
    const text = thinkingText(part)
    if (text !== '') thoughts.push({ kind: 'thought', text })
    return false
  })
  return { parts, thoughts }
}

/** A call without an id (`function_call` has none) is given one by its place. */
function readCalls(
  tool_calls: Json | undefined,
  function_call: Json | undefined,
  newCallId: (index: number) => string,
): { calls: ToolCallBlock[]; damaged: boolean } {
  const legacy = objectIn(function_call)
  const list = objectsIn(tool_calls)
  if (!isAbsent(legacy['name'])) list.push({ function: legacy })
  let damaged = false
  const calls = list.map((raw, index): ToolCallBlock => {
    const extra = readExtraContent(raw['extra_content'])
    damaged ||= extra.damaged
    const call = readCall(raw, textIn(raw['id']) || newCallId(index))
    return extra.proof ? { ...call, proof: extra.proof } : call
  })
  return { calls, damaged }
}

/** Thoughts, content and calls in one row. */
function layOut(thoughts: readonly Thought[], content: Block[], calls: ToolCallBlock[]): Block[] {
  const isPlaced = thoughts.some(
    (thought) => thought.kind === 'text' || (thought.kind === 'thought' && !isFirst(thought.at)),
  )
  const only = content.every((block) => block.kind === 'text' && !block.cache)
  if (isPlaced && only) return new Row(content, calls).place(thoughts)
  return [...thoughts.flatMap(thoughtBlock), ...content, ...calls]
}

const isFirst = (at: TextSpan | undefined): boolean => !at || (at.start === 0 && at.calls === 0)

function thoughtBlock(thought: Thought): ReasoningBlock[] {
  if (thought.kind !== 'thought') return []
  const { text, redacted, proof } = thought
  return [
    {
      kind: 'reasoning',
      text,
      ...(redacted && { redacted: true as const }),
      ...(proof && { proof }),
    },
  ]
}

/** Cuts the content where thoughts and proofs say that blocks began and ended. */
class Row {
  readonly #text: string
  readonly #calls: ToolCallBlock[]
  readonly #blocks: Block[] = []
  #said = 0
  #called = 0

  constructor(content: readonly Block[], calls: ToolCallBlock[]) {
    this.#text = content.map((block) => (block.kind === 'text' ? block.text : '')).join('')
    this.#calls = calls
  }

  place(thoughts: readonly Thought[]): Block[] {
    for (const thought of thoughts) {
      if (thought.kind === 'call') continue
      const { start, end, calls } = thought.at ?? { start: 0, end: 0, calls: 0 }
      this.#upTo(start, calls)
      if (thought.kind === 'thought') this.#blocks.push(...thoughtBlock(thought))
      else this.#prove(end, thought.proof)
    }
    this.#upTo(this.#text.length, this.#calls.length)
    return this.#blocks
  }

  #upTo(said: number, called: number): void {
    if (said > this.#said) {
      this.#blocks.push({ kind: 'text', text: this.#text.slice(this.#said, said) })
      this.#said = Math.min(said, this.#text.length)
    }
    for (; this.#called < called; this.#called += 1) {
      const call = this.#calls[this.#called]
      if (!call) break
      this.#blocks.push(call)
    }
  }

  #prove(end: number, proof: Proof | undefined): void {
    const text = this.#text.slice(this.#said, end)
    this.#said = Math.max(this.#said, Math.min(end, this.#text.length))
    if (text === '' && !proof) return
    this.#blocks.push(withTail({ kind: 'text', text }, proof ? { proof } : {}))
  }
}

/** The parts of a model's message that are kept on its turn. */
export const withMessage = ({ blocks, rest, facts, damaged }: Said) => ({
  blocks,
  ...(damaged && { damagedProof: true as const }),
  ...keep(rest, { facts }),
})

/** Text without anything else is a string, which every server takes. */
export function joinedParts(parts: JsonObject[], between: string): JsonObject[] | string {
  const isPlain = parts.every((part) => part['type'] === 'text' && Object.keys(part).length === 2)
  return isPlain ? parts.map((part) => textIn(part['text'])).join(between) : parts
}

/** Members of an instruction's message are kept on its first block. */
export function marked(blocks: Block[], left: JsonObject, facts: Facts): Block[] {
  const [first, ...others] = blocks
  if (!first || first.kind === 'opaque') return blocks
  const kept = keep({ ...restOf(first), ...left }, { facts: { ...factsOf(first), ...facts } })
  return [{ ...first, ...kept }, ...others]
}
