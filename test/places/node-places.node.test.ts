import { describe, expect, it } from 'vitest'
import { placeFinder } from '../../src/extras/places/node-places.ts'
import { isObject, parse, stringify, type Json } from '../../src/json/json.ts'
import { adapterOf } from '../dialects/adapters.ts'
import { PAIRS } from '../dialects/index.ts'
import { CASES, requestIn } from '../golden/cases.ts'
import { readRequest, writeRequest } from '../laws/exchange.ts'

function at(value: Json, pointer: string): Json | undefined {
  let here: Json | undefined = value
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    here = Array.isArray(here) ? here[Number(name)] : isObject(here) ? here[name] : undefined
  }
  return here
}

/** The body without what stands at a pointer. */
function without(text: string, pointer: string): string {
  const body = JSON.parse(text)
  const keys = pointer.split('/').slice(1)
  const last = keys.pop() ?? ''
  const holder = keys.reduce((here, key) => here[key.replaceAll('~1', '/')], body)
  if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else delete holder[last.replaceAll('~1', '/')]
  return JSON.stringify(body)
}

function find(from: string, to: string, text: string) {
  const [caller, upstream] = [adapterOf(from as never), adapterOf(to as never)]
  const { find, request } = placeFinder(parse(text, caller.caller.verbatim), {
    read: (body) => readRequest(caller, stringify(body)),
    write: (read) => writeRequest(upstream, read).body,
  })
  if (!request) throw new Error('it is no request')
  const { losses, body } = writeRequest(upstream, request)
  return {
    losses: losses.map((loss) => ({ ...loss, ...find(loss.path) })),
    body: parse(stringify(body)),
    find,
  }
}

describe('where a loss stands', () => {
  it('is told for most losses, by pointers that lead somewhere in both bodies', () => {
    const counts = { all: 0, found: 0, gone: 0, dropped: 0 }
    for (const name of CASES)
      for (const [from, to] of PAIRS) {
        if (from === to) continue
        const text = requestIn(name, from)
        const { losses, body } = find(from, to, text)
        for (const { code, path, field, sentAt } of losses) {
          const where = `${name} ${from} -> ${to} ${path} ${field} ${sentAt}`
          if (code !== 'defaulted') counts.all += 1
          if (field !== undefined) {
            if (code !== 'defaulted') counts.found += 1
            expect(at(JSON.parse(text), field), where).toBeDefined()
          }
          if (sentAt !== undefined) expect(at(body, sentAt), where).toBeDefined()
        }
      }
    expect(counts.all).toBeGreaterThan(50)
    expect(counts.found / counts.all).toBeGreaterThan(0.9)
  })

  const BODY = {
    model: 'm',
    max_tokens: 4000,
    top_k: 5,
    metadata: { user_id: 'u' },
    container: 'c',
    thinking: { type: 'enabled', budget_tokens: 2000 },
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    tools: [
      { name: 'read', input_schema: { type: 'object' } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
    ],
    messages: [
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Let me see', signature: 'abc' },
          { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' },
          {
            type: 'document',
            context: 'why',
            source: { type: 'text', media_type: 'text/plain', data: 'abc' },
          },
        ],
      },
    ],
  }

  it('is the member, the block or the tool itself', () => {
    const { losses } = find('messages', 'responses', JSON.stringify(BODY))
    const told = losses.map(({ path, field, sentAt }) => [path, field, sentAt])
    expect(told).toEqual(
      expect.arrayContaining([
        ['container', '/container', undefined],
        ['sampling.topK', '/top_k', undefined],
        ['cache', '/system/0/cache_control', undefined],
        ['tools.web-search.maxUses', '/tools/1/max_uses', undefined],
        ['reasoning.budget', '/thinking', '/reasoning/effort'],
        ['turns.1.blocks.0.seal', '/messages/1/content/0/signature', undefined],
        ['turns.2.blocks.1.context', '/messages/2/content/1/context', undefined],
        ['turns.2.blocks.1', '/messages/2/content/1', '/input/3'],
      ]),
    )
  })

  it('is found among instructions that stand before the turns in one list', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', prompt_cache_breakpoint: { mode: 'explicit' } },
    ]
    const messages = [
      { role: 'system', content: 'Be brief.', name: 'n' },
      { role: 'developer', content },
      { role: 'user', content: 'Hello' },
    ]
    const text = JSON.stringify({ model: 'm', messages })
    const told = find('chat-completions', 'generate-content', text).losses
    expect(told.map(({ path, field }) => [path, field])).toEqual([
      ['system.0.name', '/messages/0/name'],
      ['cache', '/messages/1/content/1/prompt_cache_breakpoint'],
    ])
  })

  it('is right: without what stands there nothing is lost there', () => {
    const text = JSON.stringify(BODY)
    for (const to of ['responses', 'generate-content', 'chat-completions']) {
      const { losses } = find('messages', to, text)
      const members = losses.filter(
        ({ code, field = '' }) => code === 'dropped' && /[a-z_]$/.test(field),
      )
      expect(members.length).toBeGreaterThan(1)
      for (const { path, field = '' } of members) {
        const left = find('messages', to, without(text, field)).losses.map((loss) => loss.path)
        expect(left, `${to} ${path} ${field}`).not.toContain(path)
      }
    }
  })

  it('is told of proofs that are carried, too', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'proof' }
    const input = [
      { role: 'user', content: 'Hello' },
      item,
      { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'x' },
    ]
    const tools = [{ type: 'function', name: 'read', parameters: { type: 'object' } }]
    const text = JSON.stringify({ model: 'm', input, tools, store: false })
    const { find: placed, body } = find('responses', 'messages', text)
    const { field, sentAt } = placed('turns.1.blocks.0.seal')
    expect(field).toBe('/input/1/encrypted_content')
    if (sentAt !== undefined) expect(at(body, sentAt)).toBeDefined()
  })
})
