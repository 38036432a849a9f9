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
}

export const SERVICES: ReadonlyMap<string, Service> = new Map([
  ['anthropic', { dialect: 'messages', url: 'https://api.anthropic.com' }],
  ['openai', { dialect: 'responses', url: 'https://api.openai.com/v1' }],
  ['gemini', { dialect: 'generate-content', url: 'https://generativelanguage.googleapis.com' }],
  ['openrouter', { dialect: 'chat-completions', url: 'https://openrouter.ai/api/v1' }],
  ['deepseek', { dialect: 'chat-completions', url: 'https://api.deepseek.com/v1' }],
  ['groq', { dialect: 'chat-completions', url: 'https://api.groq.com/openai/v1' }],
  ['mistral', { dialect: 'chat-completions', url: 'https://api.mistral.ai/v1' }],
  ['xai', { dialect: 'chat-completions', url: 'https://api.x.ai/v1' }],
])

/** Collects upstreams; equal ones become one. */
export function upstreamList(converted: Pick<Converted, 'upstreams'>) {
  const names = new Map<string, string>()
  return {
    /** The name of the upstream with this content, which is added when there is none. */
    nameOf(wanted: string, upstream: JsonObject): string {
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
  return found
    ? { dialect: found[1], url: address.replace(found[0], '') }
    : { url: address.replace(/\/$/, '') }
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
