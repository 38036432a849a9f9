import { adapters } from '../../adapters/index.ts'
import { wholeBytes } from '../../src/json/bytes.ts'
import { objectIn, type JsonObject } from '../../src/json/json.ts'
import { demoSend } from '../../src/extras/demo/demo.ts'
import { DEMO_ORIGIN } from '../../src/config/defaults.ts'
import { type Config, createApp } from '../../src/index.ts'
import { toSource } from '../../src/stream/source.ts'
import type { Send, UpstreamRequest, UpstreamResponse } from '../../src/ports.ts'
import { refuses } from './refusals.ts'
import type { Server } from './servers.ts'

export interface Site {
  fetch(url: string | URL | globalThis.Request, init?: RequestInit): Promise<Response>
  /** The bodies that the server was sent. */
  sent: JsonObject[]
  /** Where it was asked. */
  urls: string[]
}

/** A proxy in front of one server, which says no as it does, and else what the demo says. */
export type Profile = NonNullable<Config['upstreams']>[string]['profile']

/** `reply`: what it says in place of the demo. */
export function siteOf(server: Server, profile?: Profile, reply?: string): Site {
  const { dialect, model } = server
  return siteWith(server, reply, {
    upstreams: {
      server: {
        dialect,
        url: 'http://server.invalid',
        key: 'a-key-of-the-server',
        ...(profile !== undefined && { profile }),
      },
    },
    ...(model !== undefined && { routes: [{ model: '*', upstream: 'server', as: model }] }),
    callers: 'open',
  })
}

/** The same with a configuration of its own. */
export function siteWith(
  { dialect, refusals, open }: Pick<Server, 'dialect' | 'refusals' | 'open'>,
  reply: string | undefined,
  config: Config,
  environment: Record<string, string> = {},
): Site {
  const sent: JsonObject[] = []
  const urls: string[] = []
  const demo = demoSend(adapters, () => Promise.reject(new Error('nothing else is asked')))
  const send: Send = async (request) => {
    const body = objectIn(JSON.parse(await bodyText(request)))
    sent.push(body)
    urls.push(request.url)
    const no = refuses(refusals, body)
    if (no) return json(no.status, JSON.stringify(no.body))
    if (reply !== undefined) return said(reply)
    const answer = await demo({ ...request, url: `${DEMO_ORIGIN}/${dialect}${ownPath(request)}` })
    return open ? withoutProofs(answer) : answer
  }
  const app = createApp(config, { send }, environment)
  return { sent, urls, fetch: async (url, init) => app.fetch(new Request(url, init)) }
}

/** What stands behind the version in the address, below the version that the demo has. */
function ownPath({ url }: UpstreamRequest): string {
  const { pathname, search } = new URL(url)
  const [, version = '', path = ''] = /.*?\/(v\d\w*)(\/.*)$/.exec(pathname) ?? []
  return `/${version === 'v1beta' ? version : 'v1'}${path}${search}`
}

async function bodyText({ body }: UpstreamRequest): Promise<string> {
  const whole = body === undefined || body instanceof ReadableStream ? body : wholeBytes(body)
  return new Response(whole as ConstructorParameters<typeof Response>[0]).text()
}

const said = (reply: string): UpstreamResponse => ({
  ...json(200, reply),
  headers: new Headers({
    'content-type': reply.startsWith('data:') ? 'text/event-stream' : 'application/json',
  }),
})

const json = (status: number, text: string): UpstreamResponse => ({
  status,
  headers: new Headers({ 'content-type': 'application/json' }),
  body: new Response(text).body,
})

/** Open models sign nothing. */
async function withoutProofs(answer: UpstreamResponse): Promise<UpstreamResponse> {
  const decoder = new TextDecoder()
  const source = answer.body && toSource(answer.body)
  let text = ''
  for (let bytes = await source?.read(); bytes; bytes = await source?.read())
    text += decoder.decode(bytes, { stream: true })
  const bare = text.replaceAll(/"(encrypted_content|signature)":"[^"]*"/g, '"$1":""')
  return { ...answer, body: new Response(bare).body }
}
