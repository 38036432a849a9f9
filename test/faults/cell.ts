import { REST_MS } from '../../src/upstream/call.ts'
import type { Line, Script } from './line.ts'
import { wrongIn, type Outcome } from './outcome.ts'
import { ask, CALLER_KEY, UPSTREAM_KEY, type Heard, type Stage } from './stage.ts'
import { voices, type Voice } from './voices.ts'

/** One fault, for every pair and both modes. */
export interface Fault {
  name: string
  act(line: Line, voice: Voice): void | Promise<void>
  /** What the caller of a stream and of a body sees; absent where a mode has no such fault. */
  stream?: Outcome
  body?: Outcome
  /** Where the bytes of the caller's own dialect pass through. */
  passed?: { stream?: Outcome; body?: Outcome }
  /** Shortly after the upstream was asked, or with the first bytes of the reply. */
  leave?: 'asked' | 'heard'
  /** How often the upstream is asked; once, if nothing is said. */
  requests?: number
  /** The upstream that a model's name begins with, if not the one of its dialect. */
  upstream?: string
}

export interface Cell {
  fault: Fault
  caller: Voice
  voice: Voice
  stream: boolean
  outcome: Outcome
}

export const cellsOf = (fault: Fault): Cell[] =>
  [true, false].flatMap((stream) =>
    voices.flatMap((caller) =>
      voices.flatMap((voice): Cell[] => {
        const mode = stream ? 'stream' : 'body'
        const passed = caller === voice ? fault.passed?.[mode] : undefined
        const outcome = passed ?? fault[mode]
        return outcome ? [{ fault, caller, voice, stream, outcome }] : []
      }),
    ),
  )

let cells = 0

/** Plays one cell; yields what is wrong, in one line. */
export async function play(stage: Stage, cell: Cell): Promise<string[]> {
  const { fault, caller, voice, stream, outcome } = cell
  const model = `${fault.upstream ?? ''}${voice.dialect}--${(cells += 1)}`
  const script: Script = (line) => fault.act(line, voice)
  stage.script(model, script)
  const heard = await ask(stage, {
    path: caller.path(model, stream),
    body: JSON.stringify(caller.request(model, stream)),
    ...(fault.leave && { leave: fault.leave === 'heard' ? 'heard' : asked(stage, model) }),
  })
  const passed = caller === voice
  const faults = [
    wrongIn(outcome, heard, caller, { stream, passed }),
    wrongCount(stage, model, fault),
    leaked(stage, model, heard),
    await stillOpen(stage, model),
  ].filter((text) => text !== undefined)
  const place = `${caller.dialect} over ${voice.dialect}, ${stream ? 'stream' : 'body'}`
  return faults.map((text) => `${place}: ${text}`)
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function asked({ upstream }: Stage, model: string): Promise<void> {
  while (!upstream.lines.has(model)) await sleep(5)
  await sleep(40)
}

function wrongCount({ upstream }: Stage, model: string, { requests = 1 }: Fault) {
  const count = upstream.lines.get(model)?.length ?? 0
  return count === requests ? undefined : `the upstream was asked ${count} times`
}

function leaked({ upstream }: Stage, model: string, { text, headers }: Heard) {
  const shown = `${text}${JSON.stringify(headers)}`
  if (shown.includes(UPSTREAM_KEY) || shown.includes(CALLER_KEY)) return 'shows a key'
  const sent = upstream.lines.get(model)?.map(({ request }) => request) ?? []
  if (sent.some((request) => request.includes(CALLER_KEY))) return "sends the caller's key"
  return sent.every((request) => request.split(UPSTREAM_KEY).length === 2) ? undefined : 'no key'
}

/** A rest is read for so long; the same time again would be a race, and the clocks of the upstreams are longer. */
const CLOSED_WITHIN_MS = 5 * REST_MS

/** A connection on which nothing more is to be expected is not kept. */
async function stillOpen({ upstream }: Stage, model: string): Promise<string | undefined> {
  const until = performance.now() + CLOSED_WITHIN_MS
  for (;;) {
    const open = upstream.lines.get(model)?.filter((line) => !line.whole && !line.socket.destroyed)
    if (!open?.length) return undefined
    if (performance.now() > until) return 'the upstream is still connected'
    await sleep(10)
  }
}
