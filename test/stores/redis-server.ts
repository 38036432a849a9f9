import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisLink } from '../../src/node/store/redis.ts'
import { freePort } from '../ports.ts'

/** A redis-server of the tests, started when it is first asked for. */
export function redisForTests() {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-redis-'))
  let server: ChildProcess | undefined
  let started: Promise<number> | undefined
  const port = () => (started ??= start())
  async function start(): Promise<number> {
    const free = await freePort()
    const options = ['--port', String(free), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
    server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    for await (const chunk of server.stdout ?? []) {
      output += chunk
      if (output.includes('Ready to accept connections')) break
    }
    server.stdout?.resume()
    return free
  }
  /** Asks the server itself. */
  const raw = async (...command: string[]): Promise<unknown> => {
    const link = redisLink(`redis://127.0.0.1:${await port()}`)
    const answer = await link.call(...command)
    await link.close()
    return answer
  }
  return {
    port,
    raw,
    async emptied(): Promise<number> {
      await raw('FLUSHALL')
      return port()
    },
    async keys(pattern: string): Promise<string[]> {
      const found = await raw('KEYS', pattern)
      return Array.isArray(found) ? found.map(String) : []
    },
    stop(): void {
      server?.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
