/**
 * What a socket saves and costs: `node test/sockets/figures.ts`. The bytes of 20 turns with a tool, the resident memory of
 * an idle socket, and how much later an event comes than over SSE.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { freePort } from '../ports.ts'
import { bytesOfTurns, TURNS } from './bytes.ts'
import { serve } from './server.ts'

const SOCKETS = 1000

/** Kilobytes of resident memory of a process. */
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

async function memoryOfIdle(): Promise<{ before: number; idle: number; used: number }> {
  const port = await freePort()
  const child = spawn(process.execPath, ['src/node.ts'], {
    env: { ...process.env, PORT: String(port), DRAGOMAN_CONFIG: '' },
    stdio: 'ignore',
  })
  const { pid = 0 } = child
  try {
    while (!(await fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined))) await pause(50)
    // What a process keeps of exchanges in any case (the page) is there before.
    for (const socket of await opened(port, 20, true))
      for (let turn = 0; turn < 150; turn += 1) await asked(socket)
    await pause(3000)
    const before = residentOf(pid)
    const sockets = await opened(port, SOCKETS - 100, false)
    await pause(3000)
    const idle = residentOf(pid)
    for (const socket of sockets) await asked(socket)
    await pause(3000)
    const used = residentOf(pid)
    return {
      before,
      idle: (idle - before) / sockets.length,
      used: (used - before) / sockets.length,
    }
  } finally {
    child.kill()
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function opened(port: number, count: number, isAsked: boolean): Promise<WebSocket[]> {
  const sockets: WebSocket[] = []
  for (let at = 0; at < count; at += 1) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`)
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
    if (isAsked) await asked(socket)
    sockets.push(socket)
  }
  return sockets
}

const CREATE = JSON.stringify({
  type: 'response.create',
  model: 'demo-messages',
  store: false,
  input: 'x',
})

function asked(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const hear = (data: Buffer) => {
      if (!data.toString('utf8', 0, 40).includes('response.completed')) return
      socket.off('message', hear)
      resolve()
    }
    socket.on('message', hear)
    socket.send(CREATE)
  })
}

const EVENTS = 400

function hear(text: string, found: number[]): void {
  for (const [, at = ''] of text.matchAll(/"delta":"(\d+\.\d+)/g))
    found.push(performance.now() - Number(at))
}

/** Milliseconds from a piece of the upstream to its event at the caller; the middle one of many. */
async function latency(): Promise<{ socket: number; sse: number }> {
  const served = await serve({
    before: async () => ({
      status: 200,
      headers: new Headers({ 'content-type': 'text/event-stream' }),
      body: timed(),
    }),
  })
  const body = { model: 'chat-completions', store: false, input: 'x' }
  const late = { socket: [] as number[], sse: [] as number[] }
  const caller = await served.connect()
  caller.heard = (text) => hear(text, late.socket)
  await caller.turn(body)
  const answer = await fetch(`http://127.0.0.1:${served.port}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${served.key}` },
    body: JSON.stringify({ ...body, stream: true }),
  })
  const decoder = new TextDecoder()
  for await (const piece of answer.body ?? []) hear(decoder.decode(piece), late.sse)
  caller.close()
  await served.server.stop(0)
  return { socket: median(late.socket), sse: median(late.sse) }
}

function timed() {
  let count = 0
  const encoder = new TextEncoder()
  const chunk = (delta: object, finish_reason: string | null = null) =>
    encoder.encode(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    )
  return {
    async read() {
      count += 1
      await pause(2)
      if (count < EVENTS) return chunk({ content: `${performance.now().toFixed(4)} ` })
      if (count === EVENTS) return chunk({}, 'stop')
      return count === EVENTS + 1 ? encoder.encode('data: [DONE]\n\n') : undefined
    },
    cancel() {},
  }
}

const median = (found: number[]): number => found.toSorted((a, b) => a - b)[found.length >> 1] ?? 0

const sent = await bytesOfTurns('messages')
console.log(
  `bytes of ${TURNS} turns: ${sent.socket} on a socket, ${sent.http} over HTTP (${Math.round((100 * sent.socket) / sent.http)} %)`,
)
const late = await latency()
console.log(
  `an event comes after ${late.socket.toFixed(3)} ms on a socket, after ${late.sse.toFixed(3)} ms over SSE`,
)
if (process.platform === 'linux') {
  const { idle, used } = await memoryOfIdle()
  console.log(
    `a socket holds ${idle.toFixed(1)} KiB before its first request, ${used.toFixed(1)} KiB behind one`,
  )
}
process.exit(0)
