import { describe, expect, it } from 'vitest'
import type { Request, Tool } from '../../src/model/request.ts'
import { translator } from '../../src/named-translator.ts'
import { assistant, call, request, result, user, write } from './help.ts'

const named = (name: string): Tool => ({ kind: 'function', name })
const f = named('f')
const g = named('g')

const schema = (text?: string): Tool => ({
  kind: 'function',
  name: 'f',
  ...(text && { schema: text }),
})

const writeRoot = (text?: string) => {
  const { wire } = write(request({ tools: [schema(text)] }))
  return JSON.parse(JSON.stringify(wire))['tools'][0].input_schema
}

const strict = (properties: object): Tool => ({
  kind: 'function',
  name: 'f',
  strict: true,
  schema: JSON.stringify({ type: 'object', properties, additionalProperties: false }),
})

const writtenWith = (tool: Tool) => {
  const { wire, losses } = write(request({ tools: [tool] }))
  return { text: JSON.stringify(wire), losses }
}

describe('tools for a messages upstream', () => {
  it('have a schema whose root is an object', () => {
    expect(writeRoot()).toEqual({ type: 'object', properties: {} })
    expect(writeRoot('{}')).toEqual({ type: 'object', properties: {} })
    expect(writeRoot('null')).toEqual({ type: 'object', properties: {} })
    expect(writeRoot('{"properties":{"a":{}}}')).toEqual({ type: 'object', properties: { a: {} } })
    expect(writeRoot('{"type":"object","$schema":"x"}')).toEqual({
      type: 'object',
      properties: {},
      $schema: 'x',
    })
  })

  it('are not strict where an argument has a name that the service takes only as a pattern', () => {
    expect(writtenWith(strict({ fine: {} })).text).toContain('"strict":true')
    const { text, losses } = writtenWith(strict({ 'not fine': {} }))
    expect(text).toContain('"patternProperties":{"^not fine$":{}}')
    expect(text).not.toContain('"strict"')
    expect(losses).toContain('dropped tools.f.strict')
  })

  it('get names that fit, in the history and the choice as well', () => {
    const tools: Tool[] = [
      { kind: 'function', name: 'list', namespace: 'files' },
      named('with.dots'),
      named(`${'x'.repeat(70)}1`),
      named(`${'x'.repeat(70)}2`),
    ]
    const turns = [user('a'), assistant(call('t1', '{}', 'with.dots')), user(result('t1', 'b'))]
    const toolChoice = { mode: 'required', names: ['with.dots'] } as const
    const { wire } = write(
      request({ tools, turns, toolChoice: { ...toolChoice, names: ['with.dots'] } }),
    )
    const body = JSON.parse(JSON.stringify(wire))
    const names = body.tools.map(({ name }: { name: string }) => name)
    expect(names[0]).toBe('files__list')
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(body.messages[1].content[0].name).toBe(names[1])
    expect(body.tool_choice).toEqual({ type: 'tool', name: names[1] })
  })

  it('wrap free text into a function', () => {
    const tools: Tool[] = [
      { kind: 'text', name: 'patch', format: { type: 'grammar', syntax: 'lark' } },
    ]
    const block = { ...call('t1', '*** Begin', 'patch'), form: 'text' } as const
    const turns = [user('a'), assistant(block), user(result('t1', 'b'))]
    const { text, losses } = write(request({ tools, turns }))
    expect(text).toContain('"input":{"input":"*** Begin"}')
    expect(text).toContain('"required":["input"]')
    expect(losses).toEqual(['approximated tools.patch.format'])
  })

  it('are the hosted ones that exist here', () => {
    const tools: Tool[] = [
      {
        kind: 'hosted',
        capability: 'web-search',
        blockedDomains: ['a.example'],
        maxUses: 2,
        location: { type: 'approximate', city: 'Gouda', lat: 3 },
      },
      { kind: 'hosted', capability: 'web-fetch' },
      { kind: 'hosted', capability: 'code-execution' },
      { kind: 'hosted', capability: 'file-search' },
      { kind: 'hosted', capability: 'computer' },
    ]
    const written = write(request({ tools }))
    expect(written.wire['tools']).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        blocked_domains: ['a.example'],
        max_uses: 2,
        user_location: { type: 'approximate', city: 'Gouda' },
      },
      { type: 'web_fetch_20250910', name: 'web_fetch' },
      { type: 'code_execution_20260120', name: 'code_execution' },
    ])
    expect(written.losses).toEqual([
      'dropped tools.web-search.location',
      'dropped tools.file-search',
      'dropped tools.computer',
    ])
  })
})

const chosen = (members: Partial<Request>) => {
  const { wire, losses } = write(request({ tools: [f, g], ...members }))
  const tools = JSON.parse(JSON.stringify(wire['tools'] ?? []))
  const names = tools.map(({ name }: { name: string }) => name).join(' ')
  return { choice: wire['tool_choice'], names, losses }
}

describe('the choice of tools for a messages upstream', () => {
  it.each<[string, Partial<Request>, unknown, string]>([
    ['nothing', {}, undefined, 'f g'],
    ['auto', { toolChoice: { mode: 'auto' } }, { type: 'auto' }, 'f g'],
    ['none', { toolChoice: { mode: 'none' } }, { type: 'none' }, 'f g'],
    ['required', { toolChoice: { mode: 'required' } }, { type: 'any' }, 'f g'],
    [
      'one by name',
      { toolChoice: { mode: 'required', names: ['f'] } },
      { type: 'tool', name: 'f' },
      'f g',
    ],
    ['some', { toolChoice: { mode: 'auto', names: ['g'] } }, { type: 'auto' }, 'f g'],
    [
      'one of some',
      { toolChoice: { mode: 'required', names: ['f', 'g'] } },
      { type: 'any' },
      'f g',
    ],
    ['one of none', { toolChoice: { mode: 'auto', names: [] } }, { type: 'none' }, 'f g'],
    [
      'one at a time',
      { parallelToolCalls: false },
      { type: 'auto', disable_parallel_tool_use: true },
      'f g',
    ],
    [
      'exactly one',
      { parallelToolCalls: false, toolChoice: { mode: 'required' } },
      { type: 'any', disable_parallel_tool_use: true },
      'f g',
    ],
  ])('%s', (what, members, choice, names) => {
    // What the choice leaves out stays on offer, so that the prompt stays what it was.
    const losses = what === 'some' ? ['approximated toolChoice'] : []
    expect(chosen(members)).toEqual({ choice, names, losses })
  })

  it('falls back to auto for a tool that could not be offered', () => {
    const tools: Tool[] = [f, { kind: 'hosted', capability: 'file-search' }]
    const toolChoice = { mode: 'required', names: ['file-search'] } satisfies Request['toolChoice']
    expect(chosen({ tools, toolChoice })).toMatchObject({
      choice: { type: 'auto' },
      losses: ['dropped tools.file-search', 'dropped toolChoice'],
    })
  })

  it('is nothing without tools', () => {
    expect(chosen({ tools: [], toolChoice: { mode: 'required' } })).toEqual({
      choice: undefined,
      names: '',
      losses: ['dropped toolChoice'],
    })
    expect(chosen({ tools: [], toolChoice: { mode: 'auto' } }).losses).toEqual([])
  })
})

const withTool = (eager: object) => ({
  model: 'm',
  max_tokens: 99,
  messages: [{ role: 'user', content: 'x' }],
  tools: [{ name: 'f', input_schema: { type: 'object', properties: {} }, ...eager }],
})

it.each(['generate-content', 'responses', 'chat-completions'] as const)(
  'loses nothing of a tool whose arguments are to be told as they come, over %s',
  (to) => {
    const ask = (eager: object) => {
      const { text, losses } = translator({ from: 'messages', to, model: 'm' }).request(
        withTool(eager),
      )
      return { text, losses }
    }
    const plain = ask({})
    expect(plain.losses).toEqual([])
    expect(ask({ eager_input_streaming: true })).toEqual(plain)
    expect(ask({ eager_input_streaming: 'yes' }).losses).toHaveLength(1)
  },
)
