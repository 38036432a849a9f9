import { describe, expect, it } from 'vitest'
import type { Adapter } from '../adapters/contract.ts'
import { adapters } from '../adapters/index.ts'
import type { Event } from '../src/model/events.ts'
import type { Loss } from '../src/model/loss.ts'
import type { Request } from '../src/model/request.ts'
import { sseFrame } from '../src/stream/sse.ts'
import type { Answer, Case, InEach } from './golden/case.ts'
import { ERROR_CASES } from './golden/cases-errors.ts'
import { REPLY_CASES } from './golden/cases-replies.ts'
import { TEXT_CASES } from './golden/cases-text.ts'
import { TOOL_CASES } from './golden/cases-tools.ts'
import { grammarOf } from './grammar/index.ts'
import { readBodyText, readFrames, readRequest, writeReply, writeRequest } from './laws/exchange.ts'

/** What one dialect's wire carries, next to what was lost; read by people. */
const shown = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const told = (losses: readonly Loss[]): string[] =>
  losses.map(({ code, path, detail }) => `${code} ${path}${detail ? `: ${detail}` : ''}`)

const file = (name: string, caller: Adapter, upstream: Adapter, kind: string): string =>
  `../fixtures/golden/${name}/${caller.dialect}.${upstream.dialect}.${kind}`

const inEach = <T>(values: InEach<T>, adapter: Adapter): T => {
  const value = new Map<string, T>(Object.entries(values)).get(adapter.dialect)
  if (value === undefined) throw new Error(`no case for ${adapter.dialect}`)
  return value
}

const read = (upstream: Adapter, request: Request, answer: Answer) =>
  'frames' in answer
    ? readFrames(upstream, request, answer.frames)
    : readBodyText(upstream, request, JSON.stringify('body' in answer ? answer.body : answer.error))

const pairs = adapters.flatMap((caller) =>
  adapters.flatMap((upstream) => (caller === upstream ? [] : [{ caller, upstream }])),
)

async function compareReply(
  name: string,
  caller: Adapter,
  upstream: Adapter,
  request: Request,
  events: Event[],
): Promise<void> {
  const { frames, body, losses } = writeReply(caller, request, events)
  const grammar = grammarOf(caller.dialect)
  expect(grammar.check(frames)).toBeUndefined()
  await expect(frames.map(sseFrame).join('')).toMatchFileSnapshot(
    file(name, caller, upstream, 'reply.sse'),
  )
  if (body === undefined) return
  expect(grammar.checkBody(JSON.parse(body))).toBeUndefined()
  await expect(shown({ body: JSON.parse(body), losses: told(losses) })).toMatchFileSnapshot(
    file(name, caller, upstream, 'reply.json'),
  )
}

const CASES: readonly Case[] = [...TEXT_CASES, ...TOOL_CASES, ...REPLY_CASES, ...ERROR_CASES]

describe.each(CASES)('golden $name', ({ name, request: requests, answer: answers }) => {
  it.each(pairs)('$caller.dialect from $upstream.dialect', async ({ caller, upstream }) => {
    const request = readRequest(caller, JSON.stringify(inEach(requests, caller)))
    const { text, losses } = writeRequest(upstream, request)
    const [head = '', body = ''] = text.split('\n')
    await expect(
      shown({ ...JSON.parse(head), body: JSON.parse(body), losses: told(losses) }),
    ).toMatchFileSnapshot(file(name, caller, upstream, 'request.json'))
    const answer = inEach(answers, upstream)
    if ('status' in answer) {
      const problem = upstream.upstream.readProblem(answer.status, answer.error)
      const written = caller.caller.writeProblem(problem, 'request-1')
      await expect(shown(written)).toMatchFileSnapshot(file(name, caller, upstream, 'reply.json'))
    } else {
      const { events } = read(upstream, request, answer)
      await compareReply(name, caller, upstream, request, events)
    }
  })
})
