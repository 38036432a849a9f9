import { WebSocket } from 'ws'
import { sleep } from './caller.ts'
import { expect, voiceAt, type Soak } from './soak.ts'
import { modelOf } from './upstream.ts'

const SOCKETS = 1000
const TURNS = 6
const LONGEST_MS = 60_000

/** Sockets of which a third works, a third reads nothing, and a third is gone in the middle of a reply. */
export async function connected(soak: Soak): Promise<void> {
  const before = await soak.sample()
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => opened(soak.port)))
  const working = sockets.filter((_, at) => at % 3 === 0)
  for (const [at, socket] of sockets.entries()) {
    if (at % 3 === 0) continue
    socket.send(create(at))
    if (at % 3 === 1) socket.pause()
    else setTimeout(() => socket.terminate(), at % 30)
  }
  const wrong = await Promise.all(working.map((socket, at) => turns(socket, at * 3)))
  const faults = wrong.filter((fault) => fault !== undefined)
  expect(faults.length === 0, `${faults.length} wrong replies on sockets ${faults[0] ?? ''}`)
  const during = await soak.sample()
  const held = ((during.rss - before.rss) * 1024) / SOCKETS
  expect(during.rss - before.rss < SOCKETS * 0.5, `${held.toFixed(0)} KiB for each socket`)
  for (const socket of sockets) socket.terminate()
  const end = performance.now() + LONGEST_MS
  let { resources } = await soak.sample()
  while (resources > before.resources + 2 && performance.now() < end) {
    await sleep(200)
    resources = (await soak.sample()).resources
  }
  expect(resources <= before.resources + 2, `open behind them: ${resources}`)
}

function opened(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`)
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket))
    socket.on('error', reject)
  })
}

const create = (round: number, previous?: string): string =>
  JSON.stringify({
    type: 'response.create',
    model: modelOf(voiceAt(round), 'whole', round),
    store: false,
    ...(previous !== undefined && { previous_response_id: previous }),
    input: 'go on',
  })

/** Several turns of one conversation; yields what is wrong with them. */
async function turns(socket: WebSocket, round: number): Promise<string | undefined> {
  let previous: string | undefined
  for (let turn = 0; turn < TURNS; turn += 1) {
    socket.send(create(round, previous))
    const text = await ended(socket)
    if (!text.includes(`canary-${round}-`)) return text.slice(-200)
    previous = /"id":"(resp_[^"]+)"/.exec(text)?.[1]
  }
  return undefined
}

function ended(socket: WebSocket): Promise<string> {
  let all = ''
  return new Promise((resolve) => {
    const done = () => {
      socket.off('message', hear).off('close', done)
      resolve(all)
    }
    const hear = (data: Buffer) => {
      const text = data.toString('utf8')
      all += text
      if (/^\{"type":"(?:error|response\.(?:completed|failed|incomplete))"/.test(text)) done()
    }
    socket.on('message', hear).on('close', done)
  })
}
