import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports of this machine. Neither is one that a system gives to whoever listens on port 0, or connects: those are
 * from 32768 up on Linux, and from 49152 up elsewhere. A port that a test had found in there, and left, was given to
 * a server of another test while the first one still took it for closed.
 */

/** Nothing listens there: it is the port of a service that nobody runs any more. */
export const CLOSED_PORT = 1

const LOWEST = 12_000
const HIGHEST = 32_000
const TRIES = 50

/** A port for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (await isFree(port)) return port
  }
  throw new Error(`none of ${TRIES} ports is free`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}
