import { editedText, withMembers } from '../../src/json/edit.ts'
import { isObject, parse } from '../../src/json/json.ts'
import { slicesAt } from '../../src/json/slices.ts'
import { isModelName, unescaped } from '../../src/rules/model-name.ts'
import { invalid } from '../../src/model/problem.ts'
import type { FormedRequest, RequestHead, Route } from '../contract.ts'

/**
 * `/v1beta/models/{model}:{action}`. The model may contain slashes and colons, so the action is behind the last colon.
 */
interface Place {
  version: string
  model: string
  action: Action
}
type Action = 'generateContent' | 'streamGenerateContent' | 'countTokens'

const ACTIONS: readonly Action[] = ['generateContent', 'streamGenerateContent', 'countTokens']
const PATH = /^\/(v1beta|v1)\/(models|tunedModels)\/(.+)$/s

export function match(head: RequestHead): Route | undefined {
  const place = head.method === 'POST' ? locate(head.path) : undefined
  if (!place) return undefined
  const stream = place.action === 'streamGenerateContent'
  if (place.action === 'countTokens') return { operation: 'count-tokens', model: place.model }
  if (!stream) return { operation: 'create', model: place.model, stream }
  const framing = head.query.get('alt') === 'sse' ? 'sse' : 'json-array'
  return { operation: 'create', model: place.model, stream, framing }
}

/** The upstream path for a caller's path, with another model in it. */
export function passPath(head: RequestHead, model: string | undefined): string {
  const place = locate(head.path)
  return place ? modelPath(model ?? place.model, place.action, place.version) : head.path
}

export function modelPath(model: string, action: Action, version = 'v1beta'): string {
  const name = resourceName(model)
  if (!isModelName(name))
    throw invalid(`model: ${JSON.stringify(model)} is not a model of this upstream`, 'model')
  return `/${version}/${name.split('/').map(encodeURIComponent).join('/')}:${action}`
}

/** `models/x`, also for a name that begins so already. */
export const resourceName = (model: string): string =>
  /^(?:tunedModels|models)\//.test(model) ? model : `models/${model}`

function locate(path: string): Place | undefined {
  const [, version = '', collection, rest = ''] = PATH.exec(path) ?? []
  const name = unescaped(rest)
  const colon = name?.lastIndexOf(':') ?? -1
  if (name === undefined || colon < 1) return undefined
  const action = ACTIONS.find((one) => one === name.slice(colon + 1))
  const model = `${collection === 'tunedModels' ? 'tunedModels/' : ''}${name.slice(0, colon)}`
  return action && isModelName(model) ? { version, model, action } : undefined
}

/**
 * Takes a count out of its wrapping, which only the Gemini API knows: Google Cloud counts the tokens of the request as
 * it stands (@google/genai 3.3.0, countTokensParametersToVertex).
 */
export function writePublished(request: FormedRequest): FormedRequest {
  if (!request.path.endsWith(':countTokens')) return request
  const wrapped = slicesAt(request.body, ['generateContentRequest']).at(-1)
  if (!wrapped) return request
  const text = request.body.slice(wrapped.start, wrapped.end)
  const before = parse(text)
  if (!isObject(before)) return request
  const body = editedText(text, before, withMembers(before, { model: undefined }))
  return { ...request, body }
}
