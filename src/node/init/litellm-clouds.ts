import type { JsonObject } from '../../json/json.ts'
import { CLOUD_UPSTREAMS } from './clouds.ts'
import { filledText } from './source.ts'

/** A model of a cloud, or why it cannot be converted. */
export type CloudModel = { id: string; upstream: JsonObject } | string

interface Cloud {
  /** The parameters that are read. */
  readonly taken: readonly string[]
  read(id: string, params: JsonObject): CloudModel
}

const BEDROCK = [
  'aws_region_name',
  'aws_access_key_id',
  'aws_secret_access_key',
  'aws_session_token',
]
const VERTEX = ['vertex_project', 'vertex_location', 'vertex_credentials']

/** The clouds that LiteLLM knows by a model's prefix (docs.litellm.ai, "AWS Bedrock" and "VertexAI"). */
export const LITELLM_CLOUDS: ReadonlyMap<string, Cloud> = new Map<string, Cloud>([
  ['bedrock', { taken: BEDROCK, read: onBedrock }],
  ['vertex_ai', { taken: VERTEX, read: onVertex }],
  ['vertex_ai_beta', { taken: VERTEX, read: onVertex }],
])

/** What a configuration of LiteLLM names of the environment, in the words of this one. */
export const variableKey = (key: string): string => key.replace(/^os\.environ\//, 'env:')

const REGION = /^[a-z]{2,8}(?:-[a-z0-9]+)+-\d+$/
const ROUTES = /^(?:invoke|converse|converse_like)\//

/** Claude at Invoke, which has each model that LiteLLM asks for; OpenAI's models where they speak for themselves. */
function onBedrock(full: string, params: JsonObject): CloudModel {
  const [, before, id = ''] =
    /^(?:([a-z]+(?:-[a-z0-9]+)+-\d+)\/)?(.*)$/.exec(full.replace(ROUTES, '')) ?? []
  const [, there] = /^arn:aws[\w-]*:bedrock:([\w-]+):/.exec(id) ?? []
  const region = filledText(params['aws_region_name']) ?? before ?? there ?? ''
  if (!REGION.test(region)) return '"bedrock" needs an "aws_region_name" such as us-east-1'
  const name = /(?:^|\.)anthropic\.|^arn:/.test(id)
    ? 'bedrock-invoke'
    : /^(?:\w+\.)?openai\./.test(id)
      ? 'bedrock-openai'
      : undefined
  if (name === undefined) return `"${id}" speaks Converse alone, which is not served`
  const { key: _, auth: __, ...bare } = CLOUD_UPSTREAMS.get(name) ?? {}
  const url = filledText(bare['url'])?.replace('us-east-1', region) ?? ''
  return { id, upstream: { ...bare, url, ...awsKey(params) } }
}

function awsKey(params: JsonObject): JsonObject {
  const given = filledText(params['api_key'])
  if (given !== undefined) return { key: variableKey(given), auth: 'bearer' }
  const [accessKeyId, secretAccessKey, sessionToken] = BEDROCK.slice(1).map((name) => {
    const value = filledText(params[name])
    return value === undefined ? undefined : variableKey(value)
  })
  if (accessKeyId === undefined || secretAccessKey === undefined) return { auth: { aws: 'env' } }
  const session = sessionToken === undefined ? {} : { sessionToken }
  return { auth: { aws: { accessKeyId, secretAccessKey, ...session } } }
}

/** LiteLLM takes this place where none is named. */
const USUAL_PLACE = 'us-central1'
const PLACE = /^[\w-]+$/

function onVertex(id: string, params: JsonObject): CloudModel {
  const project = filledText(params['vertex_project']) ?? ''
  const place = filledText(params['vertex_location']) ?? USUAL_PLACE
  // The words of a variable have no place in an address.
  if (!PLACE.test(project)) return '"vertex_ai" needs a "vertex_project" by its name'
  if (!PLACE.test(place)) return '"vertex_ai" needs a "vertex_location" such as global'
  const name = id.startsWith('claude')
    ? 'vertex-claude'
    : id.startsWith('gemini')
      ? 'vertex-gemini'
      : undefined
  if (name === undefined) return `"${id}" is no model of Claude or Gemini: add its upstream by hand`
  const google = googleKey(filledText(params['vertex_credentials']))
  if (google === undefined)
    return '"vertex_credentials" has to be a variable or the full path of a file'
  const { auth: _, ...bare } = CLOUD_UPSTREAMS.get(name) ?? {}
  const url = filledText(bare['url'])
    ?.replace('aiplatform.googleapis.com', hostAt(place))
    .replace('PROJECT', project)
    .replace('/global/', `/${place}/`)
  return { id, upstream: { ...bare, url: url ?? '', auth: { google } } }
}

function googleKey(given: string | undefined): string | undefined {
  if (given === undefined) return 'metadata'
  if (given.startsWith('os.environ/')) return variableKey(given)
  return given.startsWith('/') ? `file:${given}` : undefined
}

/** The host of a place of Google's (@google/genai 3.3.0). */
function hostAt(place: string): string {
  if (place === 'global') return 'aiplatform.googleapis.com'
  return /^(?:us|eu)$/.test(place)
    ? `aiplatform.${place}.rep.googleapis.com`
    : `${place}-aiplatform.googleapis.com`
}
