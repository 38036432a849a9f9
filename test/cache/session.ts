import { fingerprint } from '../../src/model/proof.ts'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import type { Block, Request, Tool, Turn } from '../../src/model/request.ts'

/** Words that look like no others, the same for the same name. */
export function words(name: string, count: number): string {
  const found: string[] = []
  for (let at = 0; found.length < count; at += 1)
    found.push(fingerprint(`${name} ${at}`).slice(0, 7))
  return found.join(' ')
}

const text = (name: string, count: number): Block => ({ kind: 'text', text: words(name, count) })
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const tools = (name: string): Tool[] =>
  Array.from({ length: 12 }, (_, index) => ({
    kind: 'function',
    name: `tool_${index}`,
    description: words(`${name} tool ${index}`, 150),
    schema: '{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}',
  }))

/** What may come between two turns of an agent, by the number of the turn. */
function makeStep(name: string, step: number): Turn[] {
  const calls = Array.from({ length: 1 + (step % 3) }, (_, index) => ({
    // As long as a service makes them.
    id: `call_${words(`${name} call ${step} ${index}`, 3).replaceAll(' ', '')}`,
    name: `tool_${(step + index) % 12}`,
  }))
  const picture: Block = { kind: 'media', mediaType: 'image/png', source: { data: PICTURE } }
  const said: Turn = {
    role: 'assistant',
    blocks: [
      text(`${name} said ${step}`, 20),
      ...calls.map((call): Block => ({
        kind: 'tool-call',
        form: 'json',
        input: `{"path":"${words(`${name} path ${step}`, 2)}"}`,
        ...call,
      })),
    ],
  }
  const results: Turn = {
    role: 'user',
    blocks: calls.map((call): Block => ({
      kind: 'tool-result',
      callId: call.id,
      name: call.name,
      form: 'json',
      content: [text(`${name} result ${call.id}`, 60)],
    })),
  }
  const asked: Turn = {
    role: 'user',
    blocks: [text(`${name} asked ${step}`, 30), ...(step % 7 === 3 ? [picture] : [])],
  }
  const instruction: Turn = { role: 'system', blocks: [text(`${name} note ${step}`, 15)] }
  if (step % 4 !== 2) return [said, results]
  const answer: Turn = { role: 'assistant', blocks: [text(`${name} answer ${step}`, 40)] }
  return [said, results, answer, asked, ...(step % 8 === 6 ? [instruction] : [])]
}

const CHOICES: readonly Request['toolChoice'][] = [
  undefined,
  { mode: 'auto' },
  { mode: 'none' },
  { mode: 'required' },
  { mode: 'auto', names: ['tool_1', 'tool_2'] },
  { mode: 'required', names: ['tool_3'] },
]

/** The requests of an agent's session: each goes on from the one before it, with other options. */
export function sessionOf(name: string, length: number, restless = true): Request[] {
  const turns: Turn[] = [{ role: 'user', blocks: [text(`${name} task`, 50)] }]
  const requests: Request[] = []
  for (let step = 0; step < length; step += 1) {
    if (step > 0) turns.push(...makeStep(name, step))
    const choice = restless ? CHOICES[step % CHOICES.length] : undefined
    requests.push({
      ...emptyRequest('model-1', false),
      system: [text(`${name} system`, 1200)],
      turns: [...turns],
      tools: tools(name),
      limits: { maxOutputTokens: 1000 },
      ...(choice && { toolChoice: choice }),
    })
  }
  return requests
}
