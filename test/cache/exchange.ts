import { createApp, type Config, type LogEntry } from '../../src/index.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'

export const UPSTREAM_KEY = 'upstream-key-0123456789'

/** One upstream as a function: what it is sent is remembered, its replies come from `reply`. */
export interface Site {
  ask(model: string, body: object, headers?: Record<string, string>): Promise<Response>
  sent: JsonObject[]
  log: LogEntry[]
}

interface SiteOptions {
  caller: Dialect
  upstream: Dialect
  route?: Partial<NonNullable<Config['routes']>[number]>
  models?: NonNullable<Config['upstreams']>[string]['models']
  reply?(body: JsonObject): object
}

export function siteOf({ caller, upstream, route, models, reply }: SiteOptions): Site {
  const sent: JsonObject[] = []
  const log: LogEntry[] = []
  const { http } = kits[caller]
  const app = createApp(
    {
      upstreams: {
        up: {
          dialect: upstream,
          url: 'https://upstream.example',
          key: UPSTREAM_KEY,
          ...(models && { models }),
        },
      },
      routes: [{ model: '*', upstream: 'up', ...route }],
      callers: 'open',
      state: { store: 'off' },
    },
    {
      send: async ({ body }) => {
        const asked: JsonObject = JSON.parse(await new Response(body).text())
        sent.push(asked)
        return {
          status: 200,
          headers: new Headers({ 'content-type': 'application/json' }),
          body: new Response(JSON.stringify(reply?.(asked) ?? kits[upstream].say.hello.body)).body,
        }
      },
      log: (entry) => {
        if (!('event' in entry)) log.push(entry)
      },
    },
  )
  return {
    sent,
    log,
    ask: async (model, body, headers = {}) =>
      app.fetch(`http://proxy.example${http.path(model, false)}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...http.credentials('caller-key-0123456789'),
          ...headers,
        },
        body: JSON.stringify(http.body(model, false, body)),
      }),
  }
}
