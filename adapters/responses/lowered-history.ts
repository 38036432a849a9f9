import { withElements, withMembers } from '../../src/json/edit.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import { leftOutFile, shownLabel } from '../../src/rules/media.ts'
import { lowerInput as wrapInput, instructionWords } from '../../src/rules/text-tools.ts'
import type { ServerFacts } from '../contract.ts'
import { PARAGRAPH } from './blocks.ts'
import { listOf, objectsOf, openedContent, memberText } from './dialect.ts'
import { typeOfItem } from './wire.ts'

/** The context for lowering, with the flat names of tools for servers without namespaces. */
export interface Lowering {
  readonly server: ServerFacts
  readonly lose: Lose
  flat(name: string, namespace: string | undefined): string
}

/** A server that lacks one of these kinds of tools is older than the item that declares tools. */
export const takesLateTools = ({ otherItems, namespaces, customTools }: ServerFacts): boolean =>
  otherItems !== false && namespaces !== false && customTools !== false

/** Writes the conversation as the server's profile allows. */
export function lowerHistory(body: JsonObject, lowering: Lowering): JsonObject {
  const { input } = body
  if (!Array.isArray(input)) return body
  const places = new CanonicalPlaces()
  const items = withElements(input, (item) => {
    if (!isObject(item)) return item
    const place = places.next(item)
    return lowerItem(withoutFiles(item, place, lowering), place, lowering)
  })
  const shown = lowering.server.toolMedia === false ? withMediaBehind(items) : items
  const whole = withMembers(body, { input: shown })
  return lowering.server.systemFirst ? withSystemFirst(whole, lowering) : whole
}

type Lowered = JsonObject | readonly JsonObject[]

function lowerItem(item: JsonObject, place: string, lowering: Lowering): Lowered {
  const { server, lose } = lowering
  switch (typeOfItem(item)) {
    case 'message':
      return withDetail(
        server.developerRole === false && item['role'] === 'developer'
          ? withMembers(item, { role: 'system' })
          : item,
        lowering,
      )
    case 'function_call':
      return withFlatName(item, lowering)
    case 'custom_tool_call':
      return lowerCall(withFlatName(item, lowering), lowering)
    case 'function_call_output':
      return item
    case 'custom_tool_call_output':
      return server.customTools === false
        ? withMembers(item, { type: 'function_call_output', id: undefined })
        : item
    case 'reasoning':
      return lowerThought(item, place, lowering)
    case 'additional_tools':
      return takesLateTools(server) ? item : []
    case 'agent_message':
      return server.otherItems === false ? asWords(item, place, lowering) : item
    default:
      return server.otherItems === false ? (lose('dropped', place) ?? []) : item
  }
}

/** Writes the default detail of a picture, for servers that demand the member as the client's types do. */
function withDetail(item: JsonObject, { server }: Lowering): JsonObject {
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
function withoutFiles(item: JsonObject, place: string, { server, lose }: Lowering): JsonObject {
  if (server.files !== false) return item
  const withoutIn = (member: 'content' | 'output'): JsonObject => {
    const parts = item[member]
    if (!Array.isArray(parts)) return {}
    const kept = withElements(parts, (part) => {
      if (!isObject(part) || part['type'] !== 'input_file') return part
      lose('dropped', place)
      return { type: 'input_text', text: leftOutFile(memberText(part, 'filename')) }
    })
    return { [member]: kept }
  }
  return withMembers(item, { ...withoutIn('content'), ...withoutIn('output') })
}

function withFlatName(item: JsonObject, { server, flat }: Lowering): JsonObject {
  const name = memberText(item, 'name')
  if (server.namespaces !== false || name === undefined) return item
  const namespace = memberText(item, 'namespace')
  return namespace === undefined
    ? item
    : withMembers(item, { name: flat(name, namespace), namespace: undefined })
}

function lowerCall(item: JsonObject, { server }: Lowering): JsonObject {
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
function asWords(item: JsonObject, place: string, { lose }: Lowering): Lowered {
  const text = textsIn(openedContent(item['content'])).join('\n')
  if (text === '') return lose('dropped', place) ?? []
  lose('approximated', place)
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

const textsIn = (content: Json | undefined): string[] =>
  typeof content === 'string'
    ? [content]
    : objectsOf(content).flatMap((part) => memberText(part, 'text') || [])

/** xAI refuses null members; llama.cpp and vLLM read only the thoughts themselves. */
function lowerThought(item: JsonObject, place: string, { server, lose }: Lowering): Lowered {
  const texts = [textsIn(item['content']), textsIn(item['summary'])].find((some) => some.length > 0)
  if (server.reasoningItems === false) {
    if (texts) lose('dropped', place)
    return []
  }
  if (!server.unprovenThoughts)
    return withMembers(item, {
      ...(item['content'] === null && { content: undefined }),
      ...(item['encrypted_content'] === null && { encrypted_content: undefined }),
    })
  if (!texts) return item['encrypted_content'] ? (lose('dropped', `${place}.seal`) ?? []) : []
  return withMembers(item, {
    summary: item['summary'] ?? [],
    content: [{ type: 'reasoning_text', text: texts.join(PARAGRAPH) }],
    encrypted_content: undefined,
  })
}

/** Moves pictures from tool results into a message of the user, behind the last result of the group. */
function withMediaBehind(items: Json[]): Json[] {
  const held: JsonObject[] = []
  const settle = (): JsonObject[] => {
    const content = held.splice(0)
    return content.length > 0 ? [{ type: 'message', role: 'user', content }] : []
  }
  const moved = withElements(items, (item) => {
    if (!isObject(item) || !typeOfItem(item).endsWith('_output')) return [...settle(), item]
    const parts = objectsOf(item['output'])
    const media = parts.filter((part) => memberText(part, 'text') === undefined)
    if (media.length > 0)
      held.push(
        { type: 'input_text', text: shownLabel(memberText(item, 'call_id') ?? '') },
        ...media,
      )
    return Array.isArray(item['output'])
      ? withMembers(item, { output: textsIn(item['output']).join('\n') })
      : item
  })
  const last = settle()
  return last.length > 0 ? [...moved, ...last] : moved
}

/** The templates of Qwen and others take instructions only at the beginning, so leading ones join `instructions`. */
function withSystemFirst(body: JsonObject, { lose }: Lowering): JsonObject {
  const input = objectsOf(body['input'])
  const first = input.findIndex((item) => !isInstruction(item))
  const leading = input.slice(0, first < 0 ? input.length : first)
  const said = leading.map(({ content }) => textsIn(content).join(PARAGRAPH))
  const instructions = [memberText(body, 'instructions') ?? '', ...said]
    .filter(Boolean)
    .join(PARAGRAPH)
  // The instructions alone would be no conversation.
  const isAlone = leading.length === input.length
  const rest = input.slice(isAlone ? 0 : leading.length)
  const items = withElements(rest, (item, index) => {
    if (!isInstruction(item)) return item
    const text = textsIn(item['content']).join(PARAGRAPH)
    lose('approximated', `turns.${index}.role`)
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

const isInstruction = (item: JsonObject): boolean =>
  typeOfItem(item) === 'message' && (item['role'] === 'developer' || item['role'] === 'system')

/** Counts items as turns and blocks: neighbouring items of one side form a turn with at most one message. */
export class CanonicalPlaces {
  #turn = -1
  #block = 0
  #role = ''
  #hasMessage = false

  next(item: JsonObject): string {
    const type = typeOfItem(item)
    const isMessage = type === 'message'
    const role = isMessage
      ? memberText(item, 'role')
      : type.endsWith('_output')
        ? 'user'
        : 'assistant'
    const continues = role === this.#role && !(isMessage && this.#hasMessage)
    if (!continues) {
      this.#turn += 1
      this.#block = 0
    }
    this.#role = role ?? ''
    this.#hasMessage = isMessage || (continues && this.#hasMessage)
    const place = `turns.${this.#turn}.blocks.${this.#block}`
    this.#block += isMessage ? Math.max(1, listOf(item['content']).length) : 1
    return place
  }
}
