import { editedText, withElements, withMembers } from '../../../src/json/edit.ts'
import { decodeBase64 } from '../../../src/json/base64.ts'
import {
  isObject,
  parse,
  parseObject,
  stringify,
  type Json,
  type JsonObject,
} from '../../../src/json/json.ts'
import { lossesIn, type Lose } from '../../../src/model/loss.ts'
import { invalid } from '../../../src/model/problem.ts'
import { leftOutFile } from '../../../src/rules/media.ts'
import type { AmazonFrame, Form, FormedRequest, Frame, ServerFacts } from '../../contract.ts'
import { betasIn, EAGER, SEARCHED } from './betas.ts'
import { withBlocks } from './blocks.ts'
import { listIn, objectIn, objectsIn, textIn } from '../dialect.ts'

/**
 * The values of `anthropic_version`, which stands in the body at these clouds (vertex-sdk 1.1.3, bedrock-sdk 1.1.3).
 */
const VERTEX_VERSION = 'vertex-2023-10-16'
const INVOKE_VERSION = 'bedrock-2023-05-31'

const COUNTER = '/count_tokens'

/** The forms of requests at clouds that have no endpoint for this dialect. */
export const FORMS: Readonly<Record<string, Form>> = {
  'raw-predict': { end: /\/publishers\/anthropic$/, write: writePredict },
  invoke: { write: writeInvoke, say: sayFrame },
}

/** Google Cloud: the model stands in the path, the version in the body, and betas in the header. */
function writePredict(request: FormedRequest): FormedRequest {
  const isCount = request.path.endsWith(COUNTER)
  const betas = betasIn(request.headers)
  const inBody = betas.filter((beta) => IN_BODY.includes(beta))
  const { body, model, isStream } = edited(request, (before) => ({
    anthropic_version: before['anthropic_version'] ?? VERTEX_VERSION,
    ...(!isCount && { model: undefined }),
    ...(inBody.length > 0 && { anthropic_beta: joined(before['anthropic_beta'], inBody) }),
  }))
  // `encodeURIComponent` escapes `@`, which stands before the date of nearly each model. Google's SDK does not.
  const name = encodeURIComponent(model).replaceAll('%40', '@')
  const method = isStream ? 'streamRawPredict' : 'rawPredict'
  return {
    path: isCount ? '/models/count-tokens:rawPredict' : `/models/${name}:${method}`,
    query: withoutBeta(request.query),
    headers: {
      ...withoutHeaders(request.headers, /^(?:anthropic|provider)-(?:version|beta)$/),
      ...(betas.length > inBody.length && {
        'anthropic-beta': betas.filter((beta) => !inBody.includes(beta)).join(','),
      }),
    },
    body,
  }
}

/** Betas that Google Cloud refuses in the header and takes in the body (litellm#31607). */
const IN_BODY: readonly string[] = ['context-1m-2025-08-07']

const joined = (listed: Json | undefined, betas: readonly string[]): string[] => [
  ...new Set([...listIn(listed).map(textIn), ...betas]),
]

/** Amazon: the path says the model and whether to stream, the body the version and the betas. */
function writeInvoke(request: FormedRequest): FormedRequest {
  const betas = betasIn(request.headers)
  const { body, model, isStream } = edited(request, (before) => ({
    anthropic_version: before['anthropic_version'] ?? INVOKE_VERSION,
    model: undefined,
    stream: undefined,
    ...(betas.length > 0 && { anthropic_beta: joined(before['anthropic_beta'], betas) }),
  }))
  const method = isStream ? 'invoke-with-response-stream' : 'invoke'
  return {
    path: `/model/${encodeURIComponent(model)}/${method}`,
    query: withoutBeta(request.query),
    headers: withoutHeaders(request.headers, /^(?:anthropic|provider)-(?:version|beta)$/),
    body,
  }
}

/** Takes out what Invoke refuses and other servers take (@ai-sdk/amazon-bedrock 4.0.186; ai#11878). */
export function invokable(body: JsonObject, { form }: ServerFacts, lose: Lose): JsonObject {
  if (form !== 'invoke') return body
  const choice = objectIn(body['tool_choice'])
  const isAlone = choice['disable_parallel_tool_use'] === true
  if (isAlone) lose('dropped', 'parallelToolCalls')
  const name = RENAMED[textIn(choice['name'])]
  return withMembers(withToolsThere(withoutAddresses(body, lose), lose), {
    ...((isAlone || name !== undefined) && {
      tool_choice: withMembers(choice, {
        ...(isAlone && { disable_parallel_tool_use: undefined }),
        ...(name !== undefined && { name }),
      }),
    }),
  })
}

const EDITOR = 'str_replace_based_edit_tool'
/** The tool of the oldest editor has another name. */
const RENAMED: Readonly<Record<string, string>> = { str_replace_editor: EDITOR }

/** The tools that Invoke has in place of the oldest types (@ai-sdk/amazon-bedrock 4.0.186). */
const NEWER: Readonly<Record<string, JsonObject>> = {
  bash_20241022: { type: 'bash_20250124' },
  text_editor_20241022: { type: 'text_editor_20250728', name: EDITOR },
  computer_20241022: { type: 'computer_20250124' },
}

/**
 * Features that need a beta at Invoke: a screen with its tools, a search for tools, and arguments that are streamed as
 * they are made.
 */
const ASKED: readonly (readonly [string, (tool: JsonObject) => boolean])[] = [
  ['computer-use-2025-01-24', ({ type }) => textIn(type) in NEWER],
  [SEARCHED[0], ({ type }) => textIn(type).startsWith('tool_search_tool_')],
  [EAGER[0], (tool) => 'eager_input_streaming' in tool],
]

function withToolsThere(body: JsonObject, lose: Lose): JsonObject {
  const tools = listIn(body['tools'])
  const betas = ASKED.filter(([, isFor]) => objectsIn(tools).some(isFor)).map(([beta]) => beta)
  if (betas.length === 0) return body
  const at = lossesIn(lose)
  const written = withElements(tools, (tool) => {
    if (!isObject(tool)) return tool
    const newer = NEWER[textIn(tool['type'])]
    if (newer?.['name'] !== undefined) at('tools', textIn(tool['name']))('approximated', '')
    return withMembers(tool, { ...newer, eager_input_streaming: undefined })
  })
  return withMembers(body, {
    tools: written,
    anthropic_beta: joined(body['anthropic_beta'], betas),
  })
}

/** Replaces media at an address by a text that names them: Invoke fetches nothing. */
const withoutAddresses = (body: JsonObject, lose: Lose): JsonObject =>
  withBlocks(body, lose, (block, lose) => {
    const { type, url } = objectIn(block['source'])
    if (type !== 'url') return block
    lose('dropped', '')
    return { type: 'text', text: leftOutFile(textIn(block['title']) || textIn(url)) }
  })

interface Edited {
  body: string
  model: string
  isStream: boolean
}

/** Edits the text of a body, and returns what the path says of it. */
function edited(
  { body: text }: FormedRequest,
  change: (before: JsonObject) => Record<string, Json | undefined>,
): Edited {
  const before = parsed(text)
  const model = before['model']
  if (typeof model !== 'string' || model === '')
    throw invalid('model: a name is required, since it stands in the path here', 'model')
  const body = editedText(text, before, withMembers(before, change(before)))
  return { body, model, isStream: before['stream'] === true }
}

/** Throws for a body that is no JSON object: the path is made of its members. */
function parsed(text: string): JsonObject {
  try {
    const body = parse(text)
    if (isObject(body)) return body
  } catch {
    // Refused below, in the same words.
  }
  throw invalid('the body must be a JSON object')
}

const withoutBeta = (query: FormedRequest['query']): FormedRequest['query'] =>
  query.filter(([name]) => name !== 'beta')

const withoutHeaders = (
  headers: FormedRequest['headers'],
  names: RegExp,
): FormedRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)))

/** Amazon's own counts at the end of a stream, which are no part of the dialect. */
const METRICS = 'amazon-bedrock-invocationMetrics'

/**
 * Reads a frame of Amazon's streams: a chunk holds an event of the dialect, anything else tells of a failure
 * (bedrock-sdk 1.1.3).
 */
function sayFrame({ kind, name, message, payload }: AmazonFrame): Frame | undefined {
  if (kind === 'event') return name === 'chunk' ? sayChunk(payload) : undefined
  const said = textIn(parseObject(payload)?.['message']) || message
  const error = { type: FAILURES[name] ?? 'api_error', message: said || name }
  return { event: 'error', data: stringify({ type: 'error', error }) }
}

function sayChunk(payload: string): Frame | undefined {
  const text = decodeBase64(textIn(parseObject(payload)?.['bytes'])) ?? ''
  const event = parseObject(text)
  const type = event?.['type']
  // A frame that only keeps the stream alive has no type.
  if (!event || typeof type !== 'string' || !/^\w+$/.test(type)) return undefined
  return {
    event: type,
    data: editedText(text, event, withMembers(event, { [METRICS]: undefined })),
  }
}

/** The error type for each of Amazon's exceptions. */
const FAILURES: Readonly<Record<string, string>> = {
  throttlingException: 'rate_limit_error',
  serviceUnavailableException: 'overloaded_error',
  validationException: 'invalid_request_error',
  modelTimeoutException: 'timeout_error',
}
