import { Hono } from 'hono/tiny'
import { dialects as allDialects, type Dialects } from '../../adapters/index.ts'
import { doorkeeper } from '../gateway/credentials.ts'
import { memoriesOf } from '../gateway/memories.ts'
import type { Ports } from '../gateway/ports.ts'
import type { Settings } from '../gateway/settings.ts'
import { answerRequest } from './front.ts'
import { loadOf } from './load.ts'
import type { Site } from './site.ts'

/** The proxy as an app whose `fetch` runs on any runtime. */
export function createApp(
  settings: Settings,
  ports: Ports,
  dialects: Dialects = allDialects,
): Hono {
  const site: Site = {
    settings,
    ports,
    dialects,
    admit: doorkeeper(settings.callers),
    load: loadOf(settings.limits),
    memories: memoriesOf(settings, ports.store),
  }
  // Paths are told apart by one parser, and not a second time by a router that decodes them otherwise.
  const app = new Hono()
  app.all('*', (context) => answerRequest(site, context.req.raw))
  return app
}
