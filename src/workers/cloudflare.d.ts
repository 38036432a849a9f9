/** What is used of workerd's own module, also by the tests there; the full types would clash with those of Node. */
declare module 'cloudflare:workers' {
  /** The bindings of `wrangler.toml`. */
  export const env: Readonly<Record<string, never>>
  /** What `src/worker.ts` exports. */
  export const exports: { default: { fetch(request: Request | string): Promise<Response> } }
}
