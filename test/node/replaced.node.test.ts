import type { Cluster } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { DEMO_ORIGIN } from '../../src/config/defaults.ts'
import { serveTogether } from '../../src/node/cluster/primary.ts'
import { readCommandLine } from '../../src/node/command/options.ts'

const CONFIG = {
  upstreams: { demo: { dialect: 'messages', url: `${DEMO_ORIGIN}/messages` } },
  state: { store: 'off' },
}

/** A process that serves as soon as it is there. */
class Started extends EventEmitter {
  readonly process = Object.assign(new EventEmitter(), {
    pid: 4711,
    stdout: null,
    stderr: null,
    send: () => true,
  })
  isConnected = () => true
  send(message: { kind: string }): void {
    if (message.kind === 'begin') this.#tell({ kind: 'listens', url: 'http://127.0.0.1:1' })
    if (message.kind === 'stop') setImmediate(() => this.process.emit('close', 0, null))
  }
  constructor() {
    super()
    this.#tell({ kind: 'ready' })
  }
  #tell(message: object): void {
    setImmediate(() => this.emit('message', message))
  }
}

it('a process that cannot be replaced at once leaves the others alone', async () => {
  const born: Started[] = []
  const outcomes = ['', '', 'EAGAIN', 'ENOMEM', '']
  const fork = () => {
    const code = outcomes.shift()
    if (code) throw Object.assign(new Error(`spawn ${code}`), { code })
    born.push(new Started())
    return born.at(-1)
  }
  const said: string[] = []
  const world = {
    environment: { DRAGOMAN_CONFIG: JSON.stringify(CONFIG) },
    directory: '/',
    write: () => {},
    say: () => {},
    complain: (line: string) => void said.push(line),
    logStyle: 'json' as const,
  }
  const cluster = { fork, setupPrimary: () => {} } as unknown as Cluster
  const options = readCommandLine(['--workers', '2'], {})
  const proxy = await serveTogether(cluster, options, world)
  // Node tells of what it cannot write to a process that has just ended.
  born[0]?.emit('error', new Error('write EPIPE'))
  born[0]?.process.emit('close', null, 'SIGKILL')
  await expect
    .poll(() => said)
    .toEqual([
      'process 4711 has ended (SIGKILL); another one starts in 0.1 s',
      'a process cannot be started (EAGAIN); another one starts in 0.2 s',
      'a process cannot be started (ENOMEM); another one starts in 0.4 s',
      'another one listens',
    ])
  await proxy.stop()
})
