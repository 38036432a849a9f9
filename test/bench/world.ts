import type { Lane } from './lanes.ts'
import { foreign, type Proxy, startCaller, startUpstream } from './processes.ts'
import type { World } from './rounds.ts'

/** Starts the process behind a kind of lane. */
export type StartLane = (kind: Lane['proxy'], upstreamPort: number) => Promise<Proxy>

/** Processes for the lanes, each started when it is first needed. */
function proxies(upstreamPort: number, start: StartLane) {
  const started = new Map<string, Promise<Proxy>>()
  return {
    async proxyOf({ proxy, gateway }: Lane): Promise<Proxy> {
      if (gateway) return foreign(gateway)
      const known = started.get(proxy) ?? start(proxy, upstreamPort)
      started.set(proxy, known)
      return known
    },
    async stop() {
      for (const proxy of await Promise.allSettled(started.values()))
        if (proxy.status === 'fulfilled') await proxy.value.stop()
    },
  }
}

/** An upstream, callers and proxies for as long as the work takes. */
export async function withWorld(
  start: StartLane,
  work: (world: World) => Promise<void>,
  upstreamPort?: number,
): Promise<void> {
  const upstream = await startUpstream(upstreamPort)
  const caller = startCaller()
  const bystander = startCaller()
  const lanes = proxies(upstream.port, start)
  try {
    await work({ upstream, caller, bystander, proxyOf: lanes.proxyOf })
  } finally {
    await lanes.stop()
    for (const child of [caller, bystander, upstream]) child.stop()
  }
}
