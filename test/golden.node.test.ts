import { describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/contract.ts'
import type { Dialect } from '../adapters/dialect.ts'
import type { Event } from '../src/model/events.ts'
import type { Loss } from '../src/model/loss.ts'
import type { Request } from '../src/model/request.ts'
import { sseFrame } from '../src/stream/sse.ts'
import { adapterOf } from './dialects/adapters.ts'
import { kits, PAIRS } from './dialects/index.ts'
import { type Answer, answerIn, CASES, modelIn, requestIn } from './golden/cases.ts'
import { readBodyText, readFrames, readRequest, writeReply, writeRequest } from './laws/exchange.ts'

/** What one dialect's wire carries, next to what was lost; read by people. */
const shown = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const told = (losses: readonly Loss[]): string[] =>
  losses.map(({ code, path, detail }) => `${code} ${path}${detail ? `: ${detail}` : ''}`)

const read = (
  upstream: Adapter,
  request: Request,
  answer: Exclude<Answer, { status: number }>,
): Event[] =>
  'frames' in answer
    ? readFrames(upstream, request, answer.frames).events
    : readBodyText(upstream, request, answer.text).events

async function compareReply(
  caller: Dialect,
  request: Request,
  events: Event[],
  file: (kind: string) => string,
): Promise<void> {
  const { frames, body, losses } = writeReply(adapterOf(caller), request, events)
  const { grammar } = kits[caller]
  expect(grammar.check(frames)).toBeUndefined()
  await expect(frames.map(sseFrame).join('')).toMatchFileSnapshot(file('reply.sse'))
  if (body === undefined) return
  expect(grammar.checkBody(JSON.parse(body))).toBeUndefined()
  await expect(shown({ body: JSON.parse(body), losses: told(losses) })).toMatchFileSnapshot(
    file('reply.json'),
  )
}

describe.each(CASES)('golden %s', (name) => {
  it.each(PAIRS)('%s from %s', async (from, to) => {
    const [caller, upstream] = [adapterOf(from), adapterOf(to)]
    const file = (kind: string) => `../fixtures/golden/${name}/${from}.${to}.${kind}`
    const request = readRequest(caller, requestIn(name, from))
    const { text, losses } = writeRequest(upstream, request, undefined, modelIn(name, to))
    const [head = '', body = ''] = text.split('\n')
    await expect(
      shown({ ...JSON.parse(head), body: JSON.parse(body), losses: told(losses) }),
    ).toMatchFileSnapshot(file('request.json'))
    const answer = answerIn(name, to)
    if ('status' in answer) {
      const problem = upstream.upstream.readProblem(answer.status, answer.error)
      const written = caller.caller.writeProblem(problem, 'request-1')
      await expect(shown(written)).toMatchFileSnapshot(file('reply.json'))
    } else await compareReply(from, request, read(upstream, request, answer), file)
  })
})
