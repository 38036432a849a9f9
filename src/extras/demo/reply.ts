import { estimateTokens } from '../../rules/estimate.ts'
import type { Event } from '../../model/events.ts'
import { unfold } from '../../model/events.ts'
import { objectIn, isObject, parseObject, stringify, wordIn, type Json } from '../../json/json.ts'
import type {
  Block,
  DialectName,
  FunctionTool,
  ReasoningBlock,
  Request,
  TextTool,
  ToolCallBlock,
} from '../../model/request.ts'
import { fingerprint, summaryMadeHere } from '../../model/proof.ts'

/** The demo's answer: the same for the same request, with content of each kind that is asked for. */
export function demoReply(request: Request, dialect: DialectName, id: string): Event[] {
  const said = lastText(request)
  const isSummary = request.compact?.now === true
  const call = isSummary ? undefined : callFor(request, said)
  const reasoning = isSummary ? undefined : reasoningFor(request, dialect, said)
  const answer = call ?? { kind: 'text' as const, text: textFor(request, said) }
  const blocks: Block[] = [
    ...(reasoning ? [reasoning] : []),
    isSummary ? summaryMadeHere(textFor(request, said)) : answer,
  ]
  const input = estimateTokens(request)
  const output = tokens(blocks)
  const events = unfold({
    id,
    model: request.model,
    blocks,
    usage: { input, output, ...(reasoning && { reasoning: tokens([reasoning]) }) },
    finish: call ? 'tool-call' : 'stop',
  })
  return events.flatMap(inPieces)
}

/** One delta per word, so that a stream can be watched. */
function inPieces(event: Event): Event[] {
  if (event.type !== 'block-delta') return [event]
  return (event.text.match(/\s*\S+\s*$|\s*\S+/g) ?? [event.text]).map((text) => ({
    type: 'block-delta',
    text,
  }))
}

const CHARACTERS_PER_TOKEN = 4

function tokens(blocks: readonly Block[]): number {
  let characters = 0
  for (const block of blocks) {
    if (block.kind === 'text' || block.kind === 'reasoning') characters += block.text.length
    if (block.kind === 'tool-call') characters += block.name.length + block.input.length
  }
  return Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN))
}

function textIn(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => (block.kind === 'text' ? [block.text] : []))
    .join(' ')
    .trim()
}

function lastTurn(request: Request): readonly Block[] {
  return request.turns.findLast((turn) => turn.role === 'user')?.blocks ?? []
}

const lastText = (request: Request): string => textIn(lastTurn(request))

const LONGEST_ECHO = 200

function textFor(request: Request, said: string): string {
  const results = lastTurn(request).flatMap((block) =>
    block.kind === 'tool-result' ? [`${block.name} said: ${shortened(textIn(block.content))}`] : [],
  )
  if (results.length > 0) return results.join('\n')
  if (request.format?.type === 'choice') return request.format.among[0] ?? ''
  if (request.format && request.format.type !== 'text') return stringify(formatted(request))
  return said === '' ? 'Hello from the demo.' : `You said: ${shortened(lastSaid(request) ?? said)}`
}

/**
 * What the user said last. Coding agents put facts about their environment before the user's words in the same turn;
 * a system message in the middle of a conversation stands behind them in a tag, where a dialect has no place for one.
 */
function lastSaid(request: Request): string | undefined {
  const last = lastTurn(request).findLast(
    (block) => block.kind === 'text' && block.text.trim() && !block.text.startsWith('<system>'),
  )
  return last && textIn([last])
}

const shortened = (text: string): string =>
  text.length > LONGEST_ECHO ? `${text.slice(0, LONGEST_ECHO)}…` : text

const formatted = ({ format }: Request): Json =>
  format?.type === 'json-schema' ? makeExample(parseObject(format.schema) ?? {}) : {}

/** A tool is called when the user asks for it by name: `call get_weather`. */
function callFor(request: Request, said: string): ToolCallBlock | undefined {
  if (request.toolChoice?.mode === 'none') return undefined
  for (const tool of request.tools) {
    if (tool.kind !== 'function' && tool.kind !== 'text') continue
    if (isCalled(tool.name, said)) return demoCall(tool, request.turns.length)
  }
  return undefined
}

function isCalled(name: string, said: string): boolean {
  const wanted = `call ${name}`
  const at = said.indexOf(wanted)
  return at >= 0 && !/[\w-]/.test(said[at + wanted.length] ?? '')
}

/** Calls of different turns have different ids. */
function demoCall(tool: FunctionTool | TextTool, turn: number): ToolCallBlock {
  const { name, namespace } = tool
  const isText = tool.kind === 'text'
  return {
    kind: 'tool-call',
    id: `call_${fingerprint(`${turn} ${name}`)}`,
    name,
    ...(namespace !== undefined && { namespace }),
    form: isText ? 'text' : 'json',
    input: isText ? 'example' : stringify(makeExample(parseObject(tool.schema ?? '{}') ?? {})),
  }
}

const DEEPEST = 8

/** The smallest value that fits a schema: required members of objects, the first element of an enumeration. */
function makeExample(schema: Json, depth = 0): Json {
  if (!isObject(schema) || depth > DEEPEST) return null
  const { enum: listed, const: fixed, properties, required } = schema
  if (fixed !== undefined) return fixed
  if (Array.isArray(listed)) return listed[0] ?? null
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (type === 'object' || type === undefined) {
    const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
    const known = objectIn(properties)
    return Object.fromEntries(
      names.map((name) => [name, makeExample(known[name] ?? {}, depth + 1)]),
    )
  }
  return EXAMPLES.get(wordIn(type)) ?? null
}

const EXAMPLES: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['string', 'example'],
  ['integer', 1],
  ['number', 1],
  ['boolean', true],
  ['array', []],
])

/** The proof is base64 of a plain text, which every dialect can carry. */
function reasoningFor(
  request: Request,
  dialect: DialectName,
  said: string,
): ReasoningBlock | undefined {
  const { reasoning } = request
  if (!reasoning || reasoning.mode === 'off' || reasoning.effort === 'none') return undefined
  return {
    kind: 'reasoning',
    text: 'The demo thinks about what was said.',
    proof: { dialect, value: btoa(`demo proof ${fingerprint(said)}`) },
  }
}
