import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { Settings } from '../config/settings.ts'
import { BODY_SPENT } from '../problems/failures.ts'
import type { AppPorts } from './app-context.ts'
import { createFetchHandler, refusingAll } from './app.ts'
import type { Door } from './admission/guard.ts'

/** The proxy as a Hono app, whose `fetch` runs on every runtime, alone or below a path of another app. */
export function createApp(settings: Settings, ports: AppPorts, door?: Door): Hono {
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

/** An app below a path, for hosts that leave it in the addresses of their requests. */
export const mounted = (path: string, app: Hono): Hono => new Hono().route(path, app)

/** The request without the path at which the app is mounted, such as `/llm/*`. */
function below(request: Request, route: string): Request {
  const segments = route.split('/').length - 2
  if (segments < 1) return request
  const { pathname, origin, search } = new URL(request.url)
  const rest = pathname.split('/').slice(segments + 1)
  return new Request(`${origin}/${rest.join('/')}${search}`, request)
}

/**
 * An answer as `fetch` gives it to a program that may give up: it fails with the reason of the signal, by which SDKs
 * tell that from a refusal, and what has come of a stream from a whole one.
 */
export async function abortable(
  answer: Response | Promise<Response>,
  signal?: AbortSignal | null,
): Promise<Response> {
  const response = await answer
  if (!signal) return response
  if (signal.aborted) {
    await response.body?.cancel()
    throw signal.reason
  }
  return response.body ? new Response(failing(response.body, signal), response) : response
}

/** The same bytes, as long as the signal is not aborted; a stream that is given up closes its source by itself. */
function failing(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (signal.aborted) throw signal.reason
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
