import { Hono } from 'hono/tiny'
import { fetcherOf } from './answerer.ts'

/** The proxy as an app whose `fetch` runs on any runtime. */
export function createApp(...given: Parameters<typeof fetcherOf>): Hono {
  const fetch = fetcherOf(...given)
  // Paths are told apart by one parser, and not a second time by a router that decodes them otherwise.
  const app = new Hono()
  app.all('*', ({ req }) => fetch(req.raw))
  return app
}
