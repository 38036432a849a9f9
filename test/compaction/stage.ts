import { expect } from 'vitest'
import { placing } from '../../src/extras/places/placing.ts'
import { kits } from '../dialects/index.ts'
import { proxyOf, type Got, type Proxy, type ProxyOptions, type Upstream } from '../memory/proxy.ts'
import { MODEL, said, text, type Dialect, type Said, type Wire } from '../sdk/script.ts'
import type { Answer } from '../sdk/stage.ts'

/** The words by which a summary turn is known. */
export const ORDERED = /will be replaced by a summary/
export const SUMMARY = 'Task: weigh the harbour. File: /srv/tide.txt holds 4711. Grüße, 日本語.'

export const lastWords = ({ dialect, body }: Got): string => {
  const { turns } = kits[dialect].scripted.hear(body)
  const pieces = turns.at(-1)?.pieces ?? []
  return pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.kind)).join('\n')
}

export const isSummaryTurn = (got: Got): boolean => ORDERED.test(lastWords(got))

export const isCount = ({ dialect, url }: Got): boolean =>
  url.pathname === kits[dialect].http.count?.path(MODEL)

/** Answers summary turns with these, one after the other and the last one again, and anything else with a word. */
export function summing(...replies: (Said | Answer)[]): Upstream {
  let at = 0
  const all = replies.length > 0 ? replies : [said([text(SUMMARY)])]
  return (got) => {
    if (isCount(got)) return { status: 404, body: { error: {} } }
    if (!isSummaryTurn(got)) return said([text('Go on.')])
    const reply = all[Math.min(at, all.length - 1)]
    at += 1
    if (!reply) throw new Error('nothing is scripted')
    return reply
  }
}

export const stageOf = (upstream: Upstream = summing(), options: ProxyOptions = {}): Proxy =>
  proxyOf(upstream, { ...options, ports: { placing, ...options.ports } })

export const modelAt = (dialect: Dialect): string => `${dialect}-1`

export const TOOL = {
  type: 'function',
  name: 'read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}
export const user = (words: string): Wire => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: words }],
})
export const called = (id: string): Wire => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{"path":"/srv/tide.txt"}',
})
export const answered = (id: string, output = '4711'): Wire => ({
  type: 'function_call_output',
  call_id: id,
  output,
})
export const TRIGGER = { type: 'compaction_trigger' }

/** A conversation as Codex has it: it breaks off behind the result of a tool. */
export const WORKED = [user('Weigh the harbour.'), called('call_1'), answered('call_1')]

export interface Event extends Wire {
  type: string
}

export async function eventsIn(response: Response): Promise<Event[]> {
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const words = await response.text()
  return words
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice('data: '.length)) as Event)
}

export async function jsonIn(response: Response): Promise<Wire> {
  expect(response.headers.get('content-type')).toContain('application/json')
  return (await response.json()) as Wire
}

/** The whole of a summary that is ordered by the last item. */
export async function trigger(
  { ask }: Proxy,
  dialect: Dialect,
  more: Wire = {},
  input: readonly Wire[] = WORKED,
): Promise<Wire> {
  const json = { model: modelAt(dialect), input: [...input, TRIGGER], tools: [TOOL], ...more }
  const response = await ask('/v1/responses', { json })
  expect([response.status, response.status === 200 || (await response.text())]).toEqual([200, true])
  return jsonIn(response)
}

export const itemOf = (reply: Wire): Wire => {
  const items = reply['output'] as Wire[]
  const found = items.filter(({ type }) => type === 'compaction')
  expect(found).toHaveLength(1)
  return found[0] ?? {}
}
