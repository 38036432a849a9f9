import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { stringify } from '../../src/json/json.ts'
import { lossList } from '../../src/model/loss.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { kits } from '../dialects/index.ts'
import { brokenAt, promptOf } from '../replay/chains.ts'
import { readRequest } from './exchange.ts'

const schema = { type: 'object', properties: { a: { type: 'string' } } }
const declared = (name: string) => ({ type: 'function', name, parameters: schema, strict: false })
const defined = (name: string) => ({ name, input_schema: schema })

const system = (content: object[], more: object = {}) => ({ role: 'system', content, ...more })

/** What comes between two answers of the model, in the words of each dialect. */
const STEPS: Record<'messages' | 'responses', (step: number) => object[]> = {
  messages: (step) => {
    const id = `call_${step}`
    const use = { type: 'tool_use', id, name: 'find', input: {} }
    const found = [{ type: 'tool_reference', tool_name: `hidden_${step}` }]
    const result = { type: 'tool_result', tool_use_id: id, content: found }
    const definition = { type: 'tool_definition', definition: defined(`late_${step}`) }
    const kinds: object[][] = [
      [system([{ type: 'tool_addition', tool: definition }])],
      [system([{ type: 'text', text: `note ${step}` }], { clear_at: 'next_user_message' })],
      [system([], { output_config: { effort: step % 2 ? 'low' : 'high' } })],
      [system([{ type: 'tool_removal', tool: { type: 'tool_reference', name: 'early' } }])],
    ]
    return [
      { role: 'assistant', content: [use] },
      { role: 'user', content: [result] },
      ...(kinds[step % kinds.length] ?? []),
      { role: 'assistant', content: `answer ${step}` },
      { role: 'user', content: `question ${step}` },
    ]
  },
  responses: (step) => {
    const call_id = `call_${step}`
    const found = [declared(`hidden_${step}`)]
    const kinds: object[][] = [
      [{ type: 'additional_tools', role: 'developer', tools: [declared(`late_${step}`)] }],
      [{ type: 'message', role: 'developer', content: `note ${step}` }],
      [{ type: 'configuration_update', reasoning: { effort: step % 2 ? 'low' : 'high' } }],
    ]
    return [
      { type: 'tool_search_call', call_id, execution: 'client', arguments: {} },
      { type: 'tool_search_output', call_id, execution: 'client', tools: found },
      ...(kinds[step % kinds.length] ?? []),
      { type: 'message', role: 'assistant', content: `answer ${step}` },
      ...(step % 2 ? [{ type: 'message', role: 'developer', content: `order ${step}` }] : []),
      { type: 'message', role: 'user', content: `question ${step}` },
    ]
  },
}

const STEPS_TAKEN = 12
/** A prompt ends with the user, so a request is made there. */
const isUser = (turn: object): boolean => 'role' in turn && turn.role === 'user'

function makeSession(from: 'messages' | 'responses'): object[] {
  const turns: object[] = [{ role: 'user', content: 'task' }]
  for (let step = 0; step < STEPS_TAKEN; step += 1) turns.push(...STEPS[from](step))
  const ends = turns.flatMap((turn, at) => (isUser(turn) ? [at + 1] : []))
  const hidden = Array.from({ length: STEPS_TAKEN }, (_, step) => ({
    ...defined(`hidden_${step}`),
    defer_loading: true,
  }))
  return ends.map((end) =>
    from === 'messages'
      ? { tools: [defined('early'), defined('find'), ...hidden], messages: turns.slice(0, end) }
      : {
          tools: [declared('early'), { type: 'tool_search', execution: 'client' }],
          input: turns.slice(0, end),
        },
  )
}

function sent(from: 'messages' | 'responses', to: Dialect, asked: object) {
  const { lose, losses } = lossList()
  const body = { model: 'm', max_tokens: 9, ...asked }
  const request = readRequest(adapterOf(from), stringify(body))
  const target = { model: kits[to].model, defaultMaxOutputTokens: 9, facts: {} }
  const written = adapterOf(to).upstream.writeRequest(request, { target, lose })
  return { prompt: promptOf(written.body), losses }
}

const CALLERS = ['messages', 'responses'] as const

describe.each(CALLERS)(
  'a %s session with tools, instructions and efforts that come later',
  (from) => {
    it.each(CALLERS)('goes on from what it has sent before to %s', (to) => {
      const prompts = makeSession(from).map((asked) => sent(from, to, asked).prompt)
      expect(prompts.length).toBeGreaterThan(5)
      const broken = prompts.slice(1).map((later, at) => brokenAt(prompts[at] ?? later, later))
      expect(broken.filter(Boolean)).toEqual([])
    })

    it.each(['generate-content', 'chat-completions'] as const)(
      'changes only its tools to %s, which is told',
      (to) => {
        const requests = makeSession(from).map((asked) => sent(from, to, asked))
        const turns = requests.map(({ prompt }) => ({ ...prompt, head: '' }))
        const broken = turns.slice(1).map((later, at) => brokenAt(turns[at] ?? later, later))
        expect(broken.filter(Boolean)).toEqual([])
        const names = requests.at(-1)?.losses.map(({ path }) => path)
        expect(names).toEqual(expect.arrayContaining(['tools.late', 'tools.deferred']))
      },
    )
  },
)
