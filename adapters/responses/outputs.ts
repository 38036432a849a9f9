import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Block, ToolResultBlock } from '../../src/model/request.ts'
import type { ItemContext } from './blocks.ts'
import { wireForm, Members, objectsOf, ownLeftovers, spelled, textIn } from './members.ts'
import { writeCallId } from './names.ts'
import { readPart, writePart } from './parts.ts'

/** The output of a call; `names` are those of the calls so far, by their ids. */
export function readOutput(item: JsonObject, names: ReadonlyMap<string, string>): ToolResultBlock {
  const members = new Members(item)
  const form = members.any('type') === 'custom_tool_call_output' ? 'text' : 'json'
  const named = members.peek('name')
  members.spell('id', 'status', 'name', 'namespace')
  const callId = members.text('call_id') ?? ''
  const output = members.any('output') ?? ''
  const parts = typeof output === 'string' ? unwrap(output) : output
  if (Array.isArray(output)) members.note('output', 'parts')
  return defined({
    kind: 'tool-result' as const,
    callId,
    name: names.get(callId) ?? (typeof named === 'string' ? named : ''),
    form,
    content: readContent(parts),
    ext: members.ext(),
  })
}

function readContent(output: Json): Block[] {
  if (Array.isArray(output)) return output.map((part) => readPart(part, 'input'))
  return typeof output !== 'string' || output === '' ? [] : [{ kind: 'text', text: output }]
}

const WRAPPED = /^\s*\[\s*\{[^]*"(?:input_image|input_file|image_url)"/

const PARTS = /^(?:input_|text$|image_url$)/

/** Some clients write an output with images as the text of its array: base64 would be paid for as text. */
function unwrap(output: string): Json {
  if (!WRAPPED.test(output)) return output
  try {
    const parts: Json = JSON.parse(output)
    const isMedia = objectsOf(parts).every((part) => PARTS.test(textIn(part, 'type') ?? ''))
    return Array.isArray(parts) && parts.every(isObject) && isMedia ? parts : output
  } catch {
    return output
  }
}

const SAYS_ERROR = /^\s*error\b/i
const ERROR_MARK = 'Error: '

/** Nothing but words can say here that a call failed. */
export function writeOutput(block: ToolResultBlock, context: ItemContext): JsonObject {
  if (block.cache) context.lose('dropped', 'cache')
  const content = block.isError ? marked(block.content) : block.content
  const parts = content.flatMap((inner, index) => {
    const path = `${context.path}.content.${index}`
    const part = writePart(inner, { ...context, side: 'input', path })
    return part ? [part] : []
  })
  return {
    type: block.form === 'text' ? 'custom_tool_call_output' : 'function_call_output',
    ...spelled(block, 'id', 'status', 'name', 'namespace'),
    call_id: writeCallId(block.callId),
    output: wireForm(block)['output'] === 'parts' ? parts : plainest(parts),
    ...ownLeftovers(block),
  }
}

/** A string where one says it all. */
function plainest(parts: JsonObject[]): Json {
  const [only, ...others] = parts
  if (!only) return ''
  const { type, text, ...rest } = only
  const isPlain =
    type === 'input_text' && typeof text === 'string' && Object.keys(rest).length === 0
  return isPlain && others.length === 0 ? text : parts
}

function marked(content: Block[]): Block[] {
  const at = content.findIndex((block) => block.kind === 'text')
  const text = content[at]
  if (text?.kind !== 'text') return [{ kind: 'text', text: ERROR_MARK.trim() }, ...content]
  if (SAYS_ERROR.test(text.text)) return content
  return content.with(at, { ...text, text: ERROR_MARK + text.text })
}
