import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { Ports } from '../ports.ts'
import type { Settings } from '../config/settings.ts'
import { BODY_SPENT } from '../model/failures.ts'
import { createFetchHandler, refusingAll } from './app.ts'
import type { Door } from './guard.ts'

/** The proxy as a Hono app, whose `fetch` runs on every runtime, alone or below a path of another app. */
export function createApp(settings: Settings, ports: Ports, door?: Door): Hono {
  const fetch = createFetchHandler(settings, ports, door)
  const refuse = refusingAll(ports, BODY_SPENT)
  return appOf(async ({ req }) => {
    const { raw, routePath } = req
    if (!raw.bodyUsed) return fetch(below(raw, routePath))
    const { method, headers, signal, url } = raw
    // Hono keeps what a middleware has read of a body (`c.req.json()`, a validator).
    const body = await req.arrayBuffer().catch(() => null)
    const request = below(new Request(url, { method, headers, signal, body }), routePath)
    return body ? fetch(request) : refuse(request)
  })
}

/** All paths go to one handler, because Hono's router decodes paths in another way than ours. */
export function appOf(answer: (context: Context) => Response | Promise<Response>): Hono {
  const app = new Hono()
  app.all('*', answer)
  return app
}

/** The request without the path at which the app is mounted, such as `/llm/*`. */
function below(request: Request, route: string): Request {
  const segments = route.split('/').length - 2
  if (segments < 1) return request
  const { pathname, origin, search } = new URL(request.url)
  const rest = pathname.split('/').slice(segments + 1)
  return new Request(`${origin}/${rest.join('/')}${search}`, request)
}
