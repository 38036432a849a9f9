import type { Hono } from 'hono'

/** What an app is where Hono is not installed: enough to call it. */
export interface Callable {
  /**
   * Takes what the platform's own `fetch` takes, as the SDKs call it, and what runtimes hand to a server:
   * beside a whole request, the second argument is theirs (an environment, a server) and means nothing.
   */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** The same for a path without a host: `app.request('/healthz')`. */
  request(input: Request | string | URL, init?: RequestInit): Response | Promise<Response>
}

/** True of the type of a package that is not installed. */
type IsUnknownPackage<T> = 0 extends 1 & T ? true : false

/**
 * A Hono app, to be served by any of Hono's adapters or mounted in another app, below any path
 * (`other.route('/llm', app)`). It answers every path there itself: routes added to it are never reached.
 */
export type App = IsUnknownPackage<Hono> extends true ? Callable : Callable & Hono
