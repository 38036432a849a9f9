import { readProfile } from '../../config/profiles.ts'
import { versionsOf } from '../../config/values.ts'
import { isObject, type Json, type JsonObject } from '../../json/json.ts'

/** The result of converting another proxy's configuration. */
export interface Converted {
  upstreams: Record<string, JsonObject>
  routes: JsonObject[]
  callerKeys: string[]
  /** One line for each thing that could not be converted, or only into something else. */
  left: string[]
}

/** A service that other configurations name without an address. */
export interface Service {
  dialect: string
  url: string
  /** The variable in which programs look for its key. */
  key: string
}

export const SERVICES: ReadonlyMap<string, Service> = new Map([
  [
    'anthropic',
    { dialect: 'messages', url: 'https://api.anthropic.com', key: 'ANTHROPIC_API_KEY' },
  ],
  ['openai', { dialect: 'responses', url: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' }],
  [
    'gemini',
    {
      dialect: 'generate-content',
      url: 'https://generativelanguage.googleapis.com',
      key: 'GEMINI_API_KEY',
    },
  ],
  [
    'openrouter',
    { dialect: 'chat-completions', url: 'https://openrouter.ai/api/v1', key: 'OPENROUTER_API_KEY' },
  ],
  [
    'deepseek',
    { dialect: 'chat-completions', url: 'https://api.deepseek.com/v1', key: 'DEEPSEEK_API_KEY' },
  ],
  [
    'groq',
    { dialect: 'chat-completions', url: 'https://api.groq.com/openai/v1', key: 'GROQ_API_KEY' },
  ],
  [
    'mistral',
    { dialect: 'chat-completions', url: 'https://api.mistral.ai/v1', key: 'MISTRAL_API_KEY' },
  ],
  ['xai', { dialect: 'chat-completions', url: 'https://api.x.ai/v1', key: 'XAI_API_KEY' }],
  [
    'cerebras',
    { dialect: 'chat-completions', url: 'https://api.cerebras.ai/v1', key: 'CEREBRAS_API_KEY' },
  ],
  [
    'fireworks_ai',
    {
      dialect: 'chat-completions',
      url: 'https://api.fireworks.ai/inference/v1',
      key: 'FIREWORKS_API_KEY',
    },
  ],
  [
    'together_ai',
    { dialect: 'chat-completions', url: 'https://api.together.xyz/v1', key: 'TOGETHERAI_API_KEY' },
  ],
])

/**
 * An upstream with the profile that its address implies, where that says anything. It would be taken without being
 * written; a file that people go on with shows what is known of their servers.
 */
function profiled(upstream: JsonObject): JsonObject {
  const { dialect, url } = upstream
  if (typeof dialect !== 'string' || typeof url !== 'string') return upstream
  const { profile, server = {} } = readProfile({ dialect, url })
  const isPlain = Object.keys(server).length === 0
  return profile === undefined || isPlain ? upstream : { profile, ...upstream }
}

/** Where a model of another configuration leads: an upstream, with the model's name there. */
interface Lead {
  upstream: string
  as?: string
  weight?: number
}

/** Collects where each name leads, which may be several places, and makes routes of it. */
export function routeList() {
  const targets = new Map<string, Lead[]>()
  return {
    /** False where the upstream serves this model already, by another name: a route has each upstream once. */
    add(model: string, target: Lead): boolean {
      const known = targets.get(model) ?? []
      targets.set(model, known)
      const same = known.find(({ upstream }) => upstream === target.upstream)
      if (!same) known.push(target)
      return !same || same.as === target.as
    },
    /** Lets another name lead where this one does; false where there is none. */
    alias(name: string, model: string): boolean {
      const known = targets.get(model)
      if (known) targets.set(name, known)
      return known !== undefined
    },
    /** The first route that fits is taken, so those with a star come last, the shortest at the end. */
    routes(pick: 'order' | 'weighted'): JsonObject[] {
      return [...targets]
        .toSorted(([one], [other]) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one)))
        .map(([model, list]) => ({ model, ...leadTo(list, pick) }))
    },
  }
}

const rank = (model: string): number => (model.includes('*') ? model.length : Infinity)

export type RouteList = ReturnType<typeof routeList>

function leadTo(list: readonly Lead[], pick: string): JsonObject {
  const [first, ...others] = list
  if (first && others.length === 0)
    return { upstream: first.upstream, ...(first.as && { as: first.as }) }
  const entries = list.map(({ upstream, as, weight }) =>
    as === undefined && weight === undefined
      ? upstream
      : { name: upstream, ...(as && { as }), ...(weight && { weight }) },
  )
  return { upstream: entries, ...(pick === 'weighted' && { pick }) }
}

/** Reports members of an entry that were not taken, on one line. */
export function reportOthers(
  where: string,
  entry: JsonObject,
  taken: readonly string[],
  left: string[],
): void {
  const others = Object.keys(entry).filter((member) => !taken.includes(member))
  if (others.length > 0) left.push(`${where}: ${others.join(', ')}`)
}

/** Collects upstreams; equal ones become one. */
export function upstreamList(converted: Pick<Converted, 'upstreams'>) {
  const names = new Map<string, string>()
  return {
    /** The name of the upstream with this content, which is added when there is none. */
    nameOf(wanted: string, written: JsonObject): string {
      const upstream = profiled(written)
      const same = JSON.stringify(upstream)
      const known = names.get(same)
      if (known !== undefined) return known
      const plain = wanted.replaceAll(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'upstream'
      let name = plain
      for (let count = 2; name in converted.upstreams; count += 1) name = `${plain}-${count}`
      converted.upstreams[name] = upstream
      names.set(same, name)
      return name
    },
  }
}

export const emptyConversion = (): Converted => ({
  upstreams: {},
  routes: [],
  callerKeys: [],
  left: [],
})

export const objectMembers = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const filledText = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

export const positiveInteger = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined

/** The endpoints of dialects, which addresses of upstreams leave out. */
const ENDPOINTS: readonly (readonly [RegExp, string])[] = [
  [/\/chat\/completions\/?$/, 'chat-completions'],
  [/\/messages\/?$/, 'messages'],
  [/\/responses\/?$/, 'responses'],
  [/\/models\/?$/, 'generate-content'],
]

export function fromEndpoint(address: string): { dialect?: string; url: string } {
  const found = ENDPOINTS.find(([pattern]) => pattern.test(address))
  if (!found) return { url: address.replace(/\/$/, '') }
  const [pattern, dialect] = found
  const base = address.replace(pattern, '')
  return { dialect, url: dialect === CHAT ? chatAddress(base) : base }
}

const CHAT = 'chat-completions'

/**
 * An upstream's address from one behind which another program puts the endpoint and no version: the whole endpoint,
 * where there is no version in it.
 */
export function chatAddress(base: string): string {
  const bare = base.replace(/\/$/, '')
  const [version = ''] = versionsOf(CHAT).exec(bare) ?? []
  return version === '' && /^https?:/.test(bare) ? `${bare}/chat/completions` : bare
}

/** Reports members that have no counterpart. */
export function reportMembers(
  where: string,
  members: JsonObject,
  words: Readonly<Record<string, string>>,
  left: string[],
): void {
  for (const name of Object.keys(members)) {
    const word = words[name]
    if (word !== '') left.push(`${where}${name}: ${word ?? 'has no place here'}`)
  }
}
