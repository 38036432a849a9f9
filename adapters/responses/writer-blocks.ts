import type { WriteReplyContext } from '../contract.ts'
import type { Json, JsonObject } from '../../src/json/json.ts'
import { append, writeLogprobs } from '../../src/model/logprobs.ts'
import { flatName } from '../../src/rules/names.ts'
import type {
  Block,
  Citation,
  CodeBlock,
  Logprob,
  ReasoningBlock,
  RefusalBlock,
  TextBlock,
  ToolCallBlock,
} from '../../src/model/request.ts'
import { hasPlaceAndTitle, writeAnnotation } from './citations.ts'
import { clientCall, type ClientCall } from './client-tools.ts'
import { restOf } from './dialect.ts'
import { repeated } from './reply.ts'
import { grown } from '../../src/rules/growing.ts'

export type Emit = (type: string, fields: JsonObject) => void

/** Writes events. */
export interface Voice {
  emit: Emit
  /** Writes events of one type that differ in one text. */
  deltas(type: string, fields: (text: string) => JsonObject): (text: string) => void
}

interface Place {
  voice: Voice
  index: number
}

type Bodied = TextBlock | RefusalBlock | ReasoningBlock | ToolCallBlock | CodeBlock

export const isBodied = ({ kind }: Block): boolean =>
  kind === 'text' ||
  kind === 'refusal' ||
  kind === 'reasoning' ||
  kind === 'tool-call' ||
  kind === 'code'

/** An item between its `added` and its `done` event. Blocks are written into it. */
export interface OpenItem {
  /** The id of the code in this item, by which its output finds it. */
  readonly codeId?: string
  /** Takes another block in; false where the block needs an item of its own. */
  continues(block: Block): boolean
  delta(text: string): void
  cite(citation: Citation): void
  /** Takes the log probabilities of the text that follows. */
  weigh(logprobs: readonly Logprob[]): void
  proof(proof: string | undefined): void
  /** Takes the output of the code; false where it has one already. */
  print(outputs: Json, status: string): boolean
  closeBlock(): void
  /** The finished item. */
  close(status: 'completed' | 'incomplete'): JsonObject
  /** The item so far; undefined where that would look finished. */
  partial(): JsonObject | undefined
}

const INERT = {
  continues: () => false,
  cite: () => undefined,
  weigh: () => undefined,
  proof: () => undefined,
  print: () => false,
}

export function openItem(block: Bodied, place: Place, context: WriteReplyContext): OpenItem {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return openMessage(block, place, context)
    case 'reasoning':
      return openReasoning(place, context)
    case 'tool-call': {
      const client = clientCall(context.request, block.name, context.lose)
      return client
        ? openClientCall(client, block, place, context)
        : openCall(block, place, context)
    }
    case 'code':
      return openCode(block, place, context)
    default:
      return block satisfies never
  }
}

/** Announces an item, and writes the events inside it with its place. */
function announce({ voice, index }: Place, item: JsonObject & { id: string }): Voice {
  voice.emit('response.output_item.added', { output_index: index, item })
  const at = { item_id: item.id, output_index: index }
  return {
    emit: (type, fields) => voice.emit(type, { ...at, ...fields }),
    deltas: (type, fields) => voice.deltas(type, (text) => ({ ...at, ...fields(text) })),
  }
}

function openMessage(
  first: TextBlock | RefusalBlock,
  place: Place,
  context: WriteReplyContext,
): OpenItem {
  const phase = writePhase(first)
  const head = { id: context.newId('msg_'), type: 'message', role: 'assistant', ...phase }
  const voice = announce(place, { ...head, status: 'in_progress', content: [] })
  const content: JsonObject[] = []
  let part: OpenPart | undefined = openPart(first, content.length, voice, context)
  const message = (status: string): JsonObject => ({ ...head, status, content })
  return {
    ...INERT,
    continues(block) {
      if (block.kind !== 'text' && block.kind !== 'refusal') return false
      if (writePhase(block)['phase'] !== phase['phase']) return false
      part = openPart(block, content.length, voice, context)
      return true
    },
    delta: (text) => part?.delta(text),
    cite: (citation) => part?.cite(citation),
    weigh: (logprobs) => part?.weigh(logprobs),
    closeBlock() {
      if (part) content.push(part.close())
      part = undefined
    },
    close: message,
    partial() {
      const open = part?.value()
      return { ...message('incomplete'), content: open ? [...content, open] : content }
    },
  }
}

const writePhase = (block: Block): JsonObject => {
  const phase = block.kind === 'opaque' ? undefined : restOf(block)['phase']
  return phase === undefined ? {} : { phase }
}

const TEXT_NAMES = ['text', 'response.output_text'] as const
const REFUSAL_NAMES = ['refusal', 'response.refusal'] as const

interface OpenPart {
  delta(text: string): void
  cite(citation: Citation): void
  weigh(logprobs: readonly Logprob[]): void
  value(): JsonObject
  close(): JsonObject
}

function openPart(
  block: TextBlock | RefusalBlock,
  at: number,
  { emit: say, deltas }: Voice,
  context: WriteReplyContext,
): OpenPart {
  const isText = block.kind === 'text'
  const [key, stem] = isText ? TEXT_NAMES : REFUSAL_NAMES
  const annotations: JsonObject[] = []
  const late: Citation[] = []
  let whole = ''
  const tokens: JsonObject[] = []
  const value = (text: Json = whole): JsonObject =>
    isText
      ? { type: 'output_text', text, annotations: [...annotations], logprobs: [...tokens] }
      : { type: 'refusal', refusal: text }
  const annotate = (citation: Citation): void => {
    const annotation = isText ? writeAnnotation(citation, whole.length) : undefined
    if (!annotation) return context.lose('dropped', 'reply.citations')
    if (!hasPlaceAndTitle(citation)) context.lose('approximated', 'reply.citations')
    const place = { content_index: at, annotation_index: annotations.length }
    say('response.output_text.annotation.added', { ...place, annotation })
    annotations.push(annotation)
  }
  say('response.content_part.added', { content_index: at, part: value() })
  const logprobs = (list: JsonObject[]) => (isText ? { logprobs: list } : {})
  const piece = tokenDeltas(`${stem}.delta`, { emit: say, deltas }, tokens, (delta, list) => ({
    content_index: at,
    delta,
    ...logprobs(list),
  }))
  return {
    delta(text) {
      whole = grown(whole, text)
      piece(text)
    },
    weigh: (list) => append(tokens, writeLogprobs(list)),
    // A citation without an end covers the whole text, which is still to come.
    cite: (citation) => (isAboutAll(citation) ? void late.push(citation) : annotate(citation)),
    value,
    close() {
      for (const citation of late) annotate(citation)
      const text = repeated(whole, context)
      const part = value(text)
      say(`${stem}.done`, { content_index: at, [key]: text, ...logprobs(tokens) })
      say('response.content_part.done', { content_index: at, part })
      return part
    },
  }
}

/** Writes deltas, each with the tokens that have become known since the last one. */
function tokenDeltas(
  type: string,
  { emit, deltas }: Voice,
  tokens: readonly JsonObject[],
  fields: (text: string, tokens: JsonObject[]) => JsonObject,
): (text: string) => void {
  const plain = deltas(type, (text) => fields(text, []))
  let said = 0
  return (text) => {
    if (said === tokens.length) return plain(text)
    emit(type, fields(text, tokens.slice(said)))
    said = tokens.length
  }
}

const isAboutAll = ({ url, end }: Citation): boolean => url !== undefined && end === undefined

/** Shows the thoughts of any upstream as one paragraph of a summary. */
function openReasoning(place: Place, context: WriteReplyContext): OpenItem {
  const head = { id: context.newId('rs_'), type: 'reasoning' }
  const { emit: say, deltas } = announce(place, { ...head, summary: [] })
  const at = { summary_index: 0 }
  const piece = deltas('response.reasoning_summary_text.delta', (delta) => ({ ...at, delta }))
  const summary: JsonObject[] = []
  let whole = ''
  let encrypted: JsonObject = {}
  const part = (text: Json = whole) => ({ type: 'summary_text', text })
  const item = (): JsonObject => ({ ...head, summary, ...encrypted })
  return {
    ...INERT,
    delta(text) {
      if (whole === '') say('response.reasoning_summary_part.added', { ...at, part: part() })
      whole = grown(whole, text)
      piece(text)
    },
    proof(proof) {
      if (proof !== undefined) encrypted = { encrypted_content: proof }
    },
    closeBlock() {
      if (whole === '') return
      const text = repeated(whole, context)
      say('response.reasoning_summary_text.done', { ...at, text })
      say('response.reasoning_summary_part.done', { ...at, part: part(text) })
      summary.push(part(text))
    },
    close: item,
    partial: () => ({ ...item(), summary: whole === '' ? [] : [part()] }),
  }
}

function openCall(block: ToolCallBlock, place: Place, context: WriteReplyContext): OpenItem {
  const isText = block.form === 'text'
  const key = isText ? 'input' : 'arguments'
  const stem = isText ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  const { namespace } = block
  const name = flatName({ name: block.name })
  const head = {
    id: context.newId(isText ? 'ctc_' : 'fc_'),
    type: isText ? 'custom_tool_call' : 'function_call',
    call_id: block.id || context.newId('call_'),
    name,
    ...(namespace !== undefined && { namespace }),
  }
  const { emit: say, deltas } = announce(place, { ...head, status: 'in_progress', [key]: '' })
  const piece = deltas(`${stem}.delta`, (text) => ({ delta: text }))
  let whole = ''
  let said: Json | undefined
  const item = (status: string): JsonObject => ({ ...head, status, [key]: said ?? whole })
  const delta = (text: string) => {
    whole = grown(whole, text)
    piece(text)
  }
  return {
    ...INERT,
    delta,
    closeBlock() {
      if (whole === '' && !isText) delta('{}')
      said = repeated(whole, context)
      say(`${stem}.done`, isText ? { input: said } : { name, arguments: said })
    },
    // Clients know no other status of a custom call.
    close: (status) => item(isText ? 'completed' : status),
    partial: () => (isText ? undefined : item('incomplete')),
  }
}

/** The members of the item need all of the arguments, so it is announced and finished at once. */
function openClientCall(
  { type, prefix, members }: ClientCall,
  block: ToolCallBlock,
  { voice, index }: Place,
  context: WriteReplyContext,
): OpenItem {
  const head = { id: context.newId(prefix), type, call_id: block.id || context.newId('call_') }
  let whole = ''
  return {
    ...INERT,
    delta(text) {
      whole = grown(whole, text)
    },
    closeBlock: () => undefined,
    close(status) {
      const item = { ...head, ...members(whole) }
      const added = { ...item, status: 'in_progress' }
      voice.emit('response.output_item.added', { output_index: index, item: added })
      return { ...item, status }
    },
    partial: () => undefined,
  }
}

function openCode(block: CodeBlock, place: Place, context: WriteReplyContext): OpenItem {
  const id = block.id.startsWith('ci_') ? block.id : context.newId('ci_')
  const container = restOf(block)['container_id'] ?? context.newId('cntr_')
  const head = { id, type: 'code_interpreter_call', container_id: container }
  const added = { ...head, status: 'in_progress', code: '', outputs: null }
  const { emit: say, deltas } = announce(place, added)
  const piece = deltas('response.code_interpreter_call_code.delta', (delta) => ({ delta }))
  say('response.code_interpreter_call.in_progress', {})
  let whole = ''
  let outputs: Json = null
  let outcome: string | undefined
  const item = (status: string): JsonObject => ({ ...head, status, code: whole, outputs })
  return {
    ...INERT,
    codeId: block.id,
    delta(text) {
      whole = grown(whole, text)
      piece(text)
    },
    print(printed, status) {
      if (outcome !== undefined) return false
      outputs = printed
      outcome = status
      return true
    },
    closeBlock() {
      say('response.code_interpreter_call_code.done', { code: whole })
      say('response.code_interpreter_call.interpreting', {})
    },
    close(status) {
      const ending = outcome ?? status
      if (ending === 'completed') say('response.code_interpreter_call.completed', {})
      return item(ending)
    },
    partial: () => item('incomplete'),
  }
}
