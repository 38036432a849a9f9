import type { Hono } from 'hono'

/** The type of an app where Hono is not installed. */
export interface Callable {
  /**
   * Takes the arguments of the platform's `fetch`, as SDKs call it. Runtimes pass a second argument of their own (an
   * environment, a server) behind a whole request; it is ignored.
   */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** The same for a path without a host, such as `app.request('/healthz')`. */
  request(input: Request | string | URL, init?: RequestInit): Response | Promise<Response>
}

/** True for the types of a package that is not installed. */
type IsUnknownPackage<T> = 0 extends 1 & T ? true : false

/**
 * A Hono app, for Hono's adapters, or to be mounted in another app below any path (`other.route('/llm', app)`). It
 * answers every path itself, so routes that are added to it are never reached.
 */
export type App = IsUnknownPackage<Hono> extends true ? Callable : Callable & Hono
