import { dialects } from '../../../adapters/index.ts'
import type { Finding } from '../../config/lint/finding.ts'
import { hint } from '../../config/lint/nearest.ts'
import { entriesAt, membersAt, valueAt } from '../../config/lint/place.ts'
import { placeKey, upstreamKey } from '../../upstream/credentials.ts'
import { DEMO_ORIGIN } from '../../config/defaults.ts'
import { keysOf, membersOf } from '../../upstream/members.ts'
import { type JsonObject, parseObject } from '../../json/json.ts'
import { today } from '../../models/today.ts'
import type { Send } from '../../ports.ts'
import { writeSample } from '../../exchange/reply/sample.ts'
import { NOTHING } from '../../json/bytes.ts'
import { isMade, withMadeKey } from '../../keys/made.ts'
import { type SentRequest, placedPath } from '../../upstream/request.ts'
import { NO_SECRETS } from '../../upstream/secrets.ts'
import type { Settings, UpstreamSettings } from '../../config/settings.ts'
import { namedModels } from '../command/models.ts'
import { differences, tellsFacts } from './online-facts.ts'
import { toSource } from '../../stream/source.ts'

const TOTAL_MS = 15_000
const MOST_BYTES = 8 * 1024 * 1024

/** What an upstream answers when it is asked for its models. */
export interface Heard {
  upstream: string
  /** For people. */
  words: string
  findings: readonly Finding[]
}

/** Asks every upstream at the same time; never rejects. */
export const heardOnline = (settings: Settings, send: Send): Promise<Heard[]> =>
  Promise.all(
    [...settings.upstreams.values()].flatMap(keysOf).map(async ({ name, upstream }) => {
      const { words, findings = [] } = await askUpstream(settings, upstream, send)
      return { upstream: name, words, findings }
    }),
  )

/** Where services disagree with the table about the models that routes name in full; never rejects. */
export async function compareOnline(
  settings: Settings,
  send: Send,
  day = today(),
): Promise<Finding[]> {
  const asked = namedModels(settings).filter(
    ({ upstream }) => tellsFacts(upstream) && upstream.key.kind !== 'caller',
  )
  const found = await Promise.all(
    asked.map(async ({ path, upstream, model }) => {
      const body = await factsOf(upstream, model, send)
      const texts = body ? differences(upstream, model, body, day) : []
      return texts.map((text) => ({ path, text, warns: true as const }))
    }),
  )
  return found.flat()
}

/** What a service tells of a model; undefined where it tells nothing of one. */
async function factsOf(
  upstream: UpstreamSettings,
  model: string,
  send: Send,
): Promise<JsonObject | undefined> {
  const name = encodeURIComponent(model.replace(/^models\//, ''))
  try {
    const { status, text } = await ask(upstream, `/models/${name}`, send)
    return status === 200 ? parseObject(text) : undefined
  } catch {
    // The list of models says what is wrong there.
    return undefined
  }
}

type Said = Pick<Heard, 'words'> & Partial<Heard>

async function askUpstream(
  settings: Settings,
  upstream: UpstreamSettings,
  send: Send,
): Promise<Said> {
  const { name, key, base } = upstream
  if (base.startsWith(DEMO_ORIGIN)) return { words: 'in this process' }
  if (key.kind === 'caller') return { words: 'not asked: the key is the caller’s own' }
  const at = ['upstreams', name]
  try {
    const { status, text } = await ask(upstream, '/models', send)
    if (status === 401 || status === 403)
      return failure([...at, 'key'], `the upstream refuses the key (status ${status})`)
    if (status === 404 || status === 405) return { words: `has no list of models (${status})` }
    if (status !== 200) return failure([...at, 'url'], `the upstream answers with status ${status}`)
    const models = modelsIn(text)
    if (!models) return failure([...at, 'url'], 'what answers here is no list of models')
    const words = `${models.length} ${models.length === 1 ? 'model' : 'models'}`
    return { words, findings: unlisted(settings, name, models) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it is not known why'
    return failure([...at, 'url'], `the upstream cannot be reached: ${reason}`)
  }
}

const failure = (path: string[], text: string): Said => ({
  words: 'failed',
  findings: [{ path, text }],
})

async function ask(
  upstream: UpstreamSettings,
  path: string,
  send: Send,
): Promise<{ status: number; text: string }> {
  const { base, proxy, timeouts } = upstream
  const adapter = dialects.of(upstream.dialect)
  const sample = adapter && writeSample(adapter, 'model')
  const usual = /^\/v1\w*/.exec(sample?.path ?? '')?.[0] ?? '/v1'
  const { header, query } = placeKey(upstream.auth, upstreamKey(upstream.key, undefined))
  const said = { ...upstream.query, ...(query && Object.fromEntries([query])) }
  const search = Object.keys(said).length > 0 ? `?${new URLSearchParams(said)}` : ''
  const sent: SentRequest = {
    method: 'GET',
    url: `${base}${placedPath(upstream, `${usual}${path}`)}${search}`,
    headers: {
      ...sample?.headers,
      ...upstream.headers,
      ...(header && Object.fromEntries([header])),
    },
    body: NOTHING,
    secrets: NO_SECRETS,
  }
  if (isMade(upstream)) await withMadeKey(sent, upstream, { send, now: Date.now })
  const { method, url, headers } = sent
  const { status, body } = await send({
    method,
    url,
    headers,
    signal: AbortSignal.timeout(TOTAL_MS),
    connectMs: timeouts.connectMs,
    ...(proxy !== undefined && { proxy }),
  })
  return { status, text: body ? await readShort(toSource(body)) : '' }
}

async function readShort(source: ReturnType<typeof toSource>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (let piece = await source.read(); piece; piece = await source.read()) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MOST_BYTES) {
      source.cancel()
      throw new Error('it answers with more than a list')
    }
  }
  return text
}

/** Names that may be printed, because an upstream may send any text. */
const NAME = /^[\w.:@/-]{1,256}$/

/** The names in `data[].id`, or in `models[].name` without `models/`. */
function modelsIn(text: string): string[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const isList = ['data', 'models'].some((member) => Array.isArray(valueAt(value, [member])))
  if (!isList) return undefined
  return [...entriesAt(value, ['data']), ...entriesAt(value, ['models'])].flatMap((entry) => {
    const { id, name } = Object.fromEntries(membersAt(entry, []))
    const found = typeof id === 'string' ? id : name
    return typeof found === 'string' && NAME.test(found) ? [found.replace(/^models\//, '')] : []
  })
}

/** Warns of routes that name a model which the upstream does not list. */
const unlisted = (settings: Settings, upstream: string, models: readonly string[]): Finding[] =>
  settings.routes.flatMap((route, index) => {
    const member = membersOf(settings, route).find((each) => each.upstream.name === upstream)
    const sent = member?.as ?? route.model
    if (!member || sent.includes('*') || models.includes(sent)) return []
    const path = ['routes', index, route.as === undefined ? 'model' : 'as']
    return [
      { path, text: `${upstream} does not list this model${hint(sent, models)}`, warns: true },
    ]
  })
