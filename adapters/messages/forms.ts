import { editedText, withMembers } from '../../src/json/edit.ts'
import { isObject, parse, type Json, type JsonObject } from '../../src/json/json.ts'
import { invalid } from '../../src/model/problem.ts'
import type { Form, FormedRequest } from '../contract.ts'
import { betasIn } from './betas.ts'
import { listIn, textIn } from './dialect.ts'

/** The version stands in the body there, and has a name of the cloud's own (vertex-sdk 1.1.3, bedrock-sdk 1.1.3). */
const VERTEX_VERSION = 'vertex-2023-10-16'
const INVOKE_VERSION = 'bedrock-2023-05-31'

const COUNTER = '/count_tokens'

/** How the clouds take the requests of this dialect that have no endpoint for it. */
export const FORMS: Readonly<Record<string, Form>> = {
  'raw-predict': { end: /\/publishers\/anthropic$/, write: writePredict },
  invoke: { write: writeInvoke },
}

/** Google Cloud: the model in the path, the version in the body, and betas in the header. */
function writePredict(request: FormedRequest): FormedRequest {
  const isCount = request.path.endsWith(COUNTER)
  const { body, model, isStream } = edited(request, (before) => ({
    anthropic_version: before['anthropic_version'] ?? VERTEX_VERSION,
    ...(!isCount && { model: undefined }),
  }))
  // The SDK spells no other sign of a name otherwise, and `@` stands before the day of nearly each.
  const name = encodeURIComponent(model).replaceAll('%40', '@')
  const method = isStream ? 'streamRawPredict' : 'rawPredict'
  return {
    path: isCount ? '/models/count-tokens:rawPredict' : `/models/${name}:${method}`,
    query: withoutBeta(request.query),
    headers: withoutHeaders(request.headers, /^(?:anthropic|provider)-version$|^provider-beta$/),
    body,
  }
}

/** Amazon: the model and whether to stream in the path, the version and the betas in the body. */
function writeInvoke(request: FormedRequest): FormedRequest {
  const betas = betasIn(request.headers)
  const { body, model, isStream } = edited(request, (before) => {
    const all = [...new Set([...listIn(before['anthropic_beta']).map(textIn), ...betas])]
    return {
      anthropic_version: before['anthropic_version'] ?? INVOKE_VERSION,
      model: undefined,
      stream: undefined,
      ...(betas.length > 0 && { anthropic_beta: all }),
    }
  })
  const method = isStream ? 'invoke-with-response-stream' : 'invoke'
  return {
    path: `/model/${encodeURIComponent(model)}/${method}`,
    query: withoutBeta(request.query),
    headers: withoutHeaders(request.headers, /^(?:anthropic|provider)-(?:version|beta)$/),
    body,
  }
}

interface Edited {
  body: string
  model: string
  isStream: boolean
}

/** The text with its members changed, and what the path says of them. */
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

/** Nothing could be asked of a body that is no JSON: the path is made of its words. */
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
