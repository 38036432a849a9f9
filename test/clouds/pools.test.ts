import { describe, expect, it } from 'vitest'
import { answer, cloudSite, MESSAGE, type Upstream } from './site.ts'

const KEY = 'a-key-of-the-cloud-0123'
const HOSTS = {
  own: 'https://api.anthropic.com',
  bedrock: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic',
  vertex: 'https://aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic',
}
const NAMES = Object.keys(HOSTS)

/** A maker's own account and two clouds behind one route: each signs its thoughts, and those that are down refuse. */
function pooled(more: Partial<Upstream>) {
  const down = new Set<string>()
  const nameOf = (url: string) =>
    Object.entries(HOSTS).find(([, host]) => url.startsWith(host))?.[0] ?? ''
  const site = cloudSite(
    Object.fromEntries(
      Object.entries(HOSTS).map(([name, url]) => [
        name,
        { dialect: 'messages', url, key: KEY, auth: 'bearer', ...more } satisfies Upstream,
      ]),
    ),
    ({ url }) => {
      const name = nameOf(url)
      if (down.has(name)) return answer({ type: 'error', error: { type: 'overloaded_error' } }, 529)
      const thinking = { type: 'thinking', thinking: 'Hm.', signature: btoa(`signed by ${name}`) }
      return answer({ ...MESSAGE, content: [thinking, ...MESSAGE.content] })
    },
    { routes: [{ model: '*', upstream: NAMES }], failover: { sticky: 'off' } },
  )
  return { site, down, nameOf }
}

const SIGNED = NAMES.map((name) => [name, btoa(`signed by ${name}`)] as const)

describe.each([
  ['apart', {}],
  ['one account', { account: 'ours' }],
])('signatures of the maker’s models between its own service and clouds, %s', (_, more) => {
  it.each(NAMES.flatMap((from) => NAMES.map((to) => [from, to] as const)))(
    'from %s to %s',
    async (from, to) => {
      const { site, down, nameOf } = pooled(more)
      const only = (name: string) => {
        down.clear()
        for (const other of NAMES) if (other !== name) down.add(other)
      }
      const body = {
        model: 'claude-sonnet-4-5',
        max_output_tokens: 5000,
        reasoning: { effort: 'low' },
        store: false,
        include: ['reasoning.encrypted_content'],
      }
      const first = { role: 'user', content: 'hi' }
      only(from)
      const reply = await site.fetch('/v1/responses', { ...body, input: [first] })
      expect(reply.status).toBe(200)
      const { output } = (await reply.json()) as { output: unknown[] }
      only(to)
      const input = [first, ...output, { role: 'user', content: 'more' }]
      const at = site.sent.length
      const next = await site.fetch('/v1/responses', { ...body, input })
      expect(next.status).toBe(200)
      const isRead = from === to || 'account' in more
      for (const { url, text } of site.sent.slice(at)) {
        const sent = SIGNED.filter(([, value]) => text.includes(value)).map(([name]) => name)
        expect(sent, url).toEqual('account' in more || nameOf(url) === from ? [from] : [])
      }
      expect(nameOf(site.sent.at(-1)?.url ?? '')).toBe(to)
      const losses = next.headers.get('x-dragoman-losses') ?? ''
      expect(losses.includes('dropped turns.1.blocks.0.seal')).toBe(!isRead)
    },
  )
})
