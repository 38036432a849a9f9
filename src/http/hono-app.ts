import { Hono } from 'hono/tiny'
import type { Ports } from '../ports.ts'
import type { Settings } from '../config/settings.ts'
import { createFetchHandler } from './app.ts'
import type { Door } from './guard.ts'

/** The proxy as a Hono app, whose `fetch` runs on every runtime. */
export function createApp(settings: Settings, ports: Ports, door?: Door): Hono {
  const fetch = createFetchHandler(settings, ports, door)
  // All paths go to one handler, because Hono's router decodes paths in another way than ours.
  const app = new Hono()
  app.all('*', ({ req }) => fetch(below(req.raw, req.routePath)))
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
