import { isObject, parseObject, type JsonObject } from '../../json/json.ts'
import { ConfigError } from '../lint/finding.ts'
import { isLoopbackName, nameOfAddress } from '../hostname.ts'
import { readProfile } from '../profiles.ts'
import type { MadeKey, SignatureKey, TokenKey } from '../settings.ts'
import type { AuthConfig, AwsConfig, UpstreamConfig } from '../type.ts'
import { readSecret, resolved, type Environment } from '../values.ts'

type Keyed = Pick<UpstreamConfig, 'auth' | 'url' | 'dialect' | 'profile'>

/** The key that is made here, as the configuration describes it; undefined where it names a place for a key. */
export function readMadeKey(
  upstream: Keyed,
  environment: Environment,
  at: string,
): MadeKey | undefined {
  const { auth } = upstream
  if (typeof auth !== 'object') return undefined
  const { google, aws, entra } = auth
  if ([google, aws, entra].filter((one) => one !== undefined).length !== 1)
    throw new ConfigError(at, 'expected one of "google", "aws" and "entra"')
  if (aws !== undefined && auth.tokenUrl !== undefined)
    throw new ConfigError(`${at}.tokenUrl`, 'a signature needs no token; leave this out')
  if (google !== undefined) return readGoogle(google, auth, environment, `${at}.google`)
  if (aws !== undefined) return readAws(aws, upstream, environment, `${at}.aws`)
  return readEntra(auth, environment, `${at}.entra`)
}

/** An address of tokens: what is sent there is a secret. */
function readTokenUrl(text: string, environment: Environment, at: string): string {
  const address = resolved(text, environment, at)
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isSafe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && isLoopbackName(nameOfAddress(url.hostname)))
  if (!url || !isSafe || url.username !== '' || url.password !== '')
    throw new ConfigError(at, 'expected an https address, or http on this machine')
  return address
}

const GOOGLE_TOKENS = 'https://oauth2.googleapis.com/token'
const METADATA_PATH = '/computeMetadata/v1/instance/service-accounts/default/token'
const METADATA_HOST = 'metadata.google.internal'

function readGoogle(
  text: string,
  { tokenUrl }: AuthConfig,
  environment: Environment,
  at: string,
): TokenKey {
  const said =
    tokenUrl === undefined
      ? undefined
      : readTokenUrl(tokenUrl, environment, at.replace(/google$/, 'tokenUrl'))
  if (text === 'metadata') {
    const host = environment['GCE_METADATA_HOST'] ?? METADATA_HOST
    return { kind: 'token', url: said ?? `http://${host}${METADATA_PATH}`, secrets: [] }
  }
  if (!/^(?:env|file):/.test(text))
    throw new ConfigError(at, 'expected "metadata", "env:NAME" or "file:/PATH"')
  const file = parseObject(resolved(text, environment, at))
  if (!isObject(file)) throw new ConfigError(at, 'expected the JSON of a service account')
  const word = wordIn(file, at)
  return file['type'] === 'authorized_user'
    ? userKey(word, said ?? GOOGLE_TOKENS)
    : serviceKey(file, word, said, at)
}

const wordIn =
  (file: JsonObject, at: string) =>
  (name: string): string => {
    const value = file[name]
    if (typeof value === 'string' && value !== '') return value
    throw new ConfigError(at, `expected the JSON of a service account, with "${name}"`)
  }

function userKey(word: (name: string) => string, url: string): TokenKey {
  const [id, secret, refresh] = ['client_id', 'client_secret', 'refresh_token'].map(word)
  const form = {
    grant_type: 'refresh_token',
    client_id: id ?? '',
    client_secret: secret ?? '',
    refresh_token: refresh ?? '',
  }
  return { kind: 'token', url, form, secrets: [form.client_secret, form.refresh_token] }
}

function serviceKey(
  file: JsonObject,
  word: (name: string) => string,
  said: string | undefined,
  at: string,
): TokenKey {
  const { private_key_id: keyId, token_uri: place } = file
  const audience = typeof place === 'string' && place !== '' ? place : GOOGLE_TOKENS
  const key = bareKey(word('private_key'))
  if (key === undefined)
    throw new ConfigError(
      at,
      'expected a "private_key" between the lines BEGIN and END PRIVATE KEY',
    )
  return {
    kind: 'token',
    url: said ?? readTokenUrl(audience, {}, at),
    assertion: {
      email: word('client_email'),
      key,
      audience,
      ...(typeof keyId === 'string' && { keyId }),
    },
    secrets: [key, word('private_key'), ...linesOf(word('private_key'))],
  }
}

/** PEM without its frame. In a variable the ends of its lines are often two letters. */
function bareKey(pem: string): string | undefined {
  const [, inner] = /-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----/s.exec(pem) ?? []
  const bare = inner?.replaceAll(/\\[rn]|\s/g, '')
  return bare !== undefined && /^[A-Za-z0-9+/]+=*$/.test(bare) ? bare : undefined
}

/** What repeats a key may repeat a line of it. */
const linesOf = (pem: string): string[] =>
  pem.split(/\\[rn]|\s+/).filter((line) => line.length >= 32 && !line.includes('-'))

const REGION = /^[a-z]{2,8}(?:-[a-z0-9]+)+-\d+$/
/** `bedrock-runtime.us-east-1.amazonaws.com`, `aws-external-anthropic.us-east-1.api.aws`. */
const HOST = /^[\w-]+\.([a-z]{2,8}(?:-[a-z0-9]+)+-\d+)\.(?:api\.aws|amazonaws\.(?:com|com\.cn|eu))$/

/** The names by which the signature knows the services (bedrock-sdk 1.1.3, aws-sdk 1.1.2). */
const SERVICES: Readonly<Record<string, string>> = {
  'bedrock-mantle': 'bedrock-mantle',
  'claude-aws': 'aws-external-anthropic',
}

function readAws(
  aws: 'env' | AwsConfig,
  { url, dialect, profile }: Keyed,
  environment: Environment,
  at: string,
): SignatureKey {
  const given: Partial<AwsConfig> = aws === 'env' ? fromEnvironment(environment, at) : aws
  const [, there] = HOST.exec(URL.canParse(url) ? new URL(url).hostname : '') ?? []
  const region =
    given.region ?? there ?? environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? ''
  const known = readProfile({ dialect, url, ...(profile !== undefined && { profile }) }).profile
  const read = (name: 'accessKeyId' | 'secretAccessKey' | 'sessionToken'): string =>
    readSecret(given[name] ?? '', environment, `${at}.${name}`)
  const spelled = resolved(region, environment, `${at}.region`)
  if (!REGION.test(spelled))
    throw new ConfigError(at, 'expected a "region" such as us-east-1, here or in AWS_REGION')
  const [id, secret] = [read('accessKeyId'), read('secretAccessKey')]
  const session = given.sessionToken === undefined ? undefined : read('sessionToken')
  return {
    kind: 'signature',
    region: spelled,
    service: given.service ?? SERVICES[known ?? ''] ?? 'bedrock',
    id,
    secret,
    ...(session !== undefined && { session }),
    secrets: [id, secret, ...(session === undefined ? [] : [session])],
  }
}

function fromEnvironment(environment: Environment, at: string): AwsConfig {
  const region = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION']
  const need = (name: string): string => resolved(`env:${name}`, environment, at)
  const session = environment['AWS_SESSION_TOKEN']
  return {
    accessKeyId: need('AWS_ACCESS_KEY_ID'),
    secretAccessKey: need('AWS_SECRET_ACCESS_KEY'),
    ...(region && { region }),
    ...(session && { sessionToken: session }),
  }
}

const ENTRA_HOST = 'https://login.microsoftonline.com'
const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default'
const TENANT = /^[\w.-]{1,128}$/

function readEntra(
  { entra, tokenUrl }: AuthConfig,
  environment: Environment,
  at: string,
): TokenKey | undefined {
  if (!entra) return undefined
  const read = (name: 'clientId' | 'clientSecret'): string =>
    readSecret(entra[name], environment, `${at}.${name}`)
  const tenant = resolved(entra.tenant, environment, `${at}.tenant`)
  if (!TENANT.test(tenant)) throw new ConfigError(`${at}.tenant`, 'expected the id of a directory')
  const form = {
    grant_type: 'client_credentials',
    client_id: read('clientId'),
    client_secret: read('clientSecret'),
    scope: resolved(entra.scope ?? ENTRA_SCOPE, environment, `${at}.scope`),
  }
  const url =
    tokenUrl === undefined
      ? `${ENTRA_HOST}/${tenant}/oauth2/v2.0/token`
      : readTokenUrl(tokenUrl, environment, at.replace(/entra$/, 'tokenUrl'))
  return { kind: 'token', url, form, secrets: [form.client_secret] }
}
