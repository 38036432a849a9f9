import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import { knownOf } from '../../adapters/contract.ts'
import { adapters, dialects } from '../../adapters/index.ts'
import { withDemo } from '../../src/extras/demo/demo.ts'
import { createFetchHandler } from '../../src/http/app.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { membersOf } from '../../src/upstream/members.ts'
import { demoConfig, readSettings } from '../../src/config/config.ts'
import { listedPrice } from '../../src/observe/prices.ts'
import { costOf } from '../../src/observe/cost.ts'
import { destinationOf, findDestination } from '../../src/upstream/route.ts'
import { translator } from '../../src/named-translator.ts'
import type { NamedOptions } from '../../src/translator.ts'
import { ASKED, type Wish } from './wishes.ts'

type Options = Partial<NamedOptions>

function sent(from: Dialect, to: Dialect, model: string, asked: object, options: Options = {}) {
  const { body, losses } = translator({ from, to, model, ...options }).request(
    JSON.stringify(asked),
  )
  return { body, losses: losses.map(({ code, path }) => `${code} ${path}`) }
}

const wished = (from: Dialect, to: Dialect, model: string, wish: Wish, options: Options = {}) =>
  sent(from, to, model, ASKED[from](model, wish), options)

const effortOf = (body: object) =>
  JSON.stringify(body).match(/"(?:reasoning_)?effort":"(\w+)"/)?.[1]

const temperatureFor = (model: string, wish: Wish) =>
  wished('messages', 'responses', model, wish).body['temperature']
const kimiTemperature = (wish: Wish, model: string) =>
  wished('messages', 'chat-completions', model, wish, { profile: 'kimi' }).body['temperature']
const boundFor = (model: string) => wished('responses', 'messages', model, {}).body['max_tokens']
const levelFor = (model: string, effort: string) =>
  JSON.stringify(wished('chat-completions', 'generate-content', model, { effort }).body).match(
    /"thinkingLevel":"(\w+)"/,
  )?.[1]
const cachedCost = (cacheRead: number) =>
  costOf(undefined, 'gpt-5.5', { input: 272_001, cacheRead, output: 1_000_000 }, listedPrice)
const inputCost = (model: string, input: number) => costOf(undefined, model, { input }, listedPrice)

const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, input_schema: { type: 'object' } }))
const named = { type: 'tool', name: 'c' }
const claude = (more: object) => ({
  model: 'm',
  max_tokens: 900,
  messages: [{ role: 'user', content: 'x' }],
  ...more,
})

describe('a forced choice', () => {
  const asked = {
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    tools: tools.map(({ name }) => ({ type: 'function', function: { name } })),
    tool_choice: { type: 'function', function: { name: 'c' } },
  }

  it('trap 11: leaves the tools as they are where a mark stands behind them', () => {
    const alone = sent('chat-completions', 'messages', 'claude-opus-5-5', asked)
    expect(alone.body['tools']).toHaveLength(1)
    expect(alone.body['tool_choice']).toEqual({ type: 'auto' })
    expect(alone.losses).toContain('approximated toolChoice')
    const text = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }
    const marked = { ...asked, messages: [{ role: 'user', content: [text] }] }
    const cached = sent('chat-completions', 'messages', 'claude-opus-5-5', marked)
    expect(cached.body['tools']).toHaveLength(5)
    expect(cached.losses).toContain('approximated toolChoice')
  })

  it('traps 12 and 13: switches thinking off where that lets the model be forced', () => {
    const forced = claude({ tools, tool_choice: named })
    const deepseek = { profile: 'deepseek' }
    const off = sent('messages', 'chat-completions', 'deepseek-v4-pro', forced, deepseek)
    expect(off.body).toMatchObject({
      thinking: { type: 'disabled' },
      tool_choice: { type: 'function' },
    })
    expect(off.losses).toEqual([])
    const kimi = { profile: 'kimi' }
    const any = claude({ tools, tool_choice: { type: 'any' } })
    const free = sent('messages', 'chat-completions', 'kimi-k2.7-code', any, kimi)
    expect(free.body['tool_choice']).toBe('auto')
    expect(free.losses).toEqual(['approximated toolChoice'])
  })

  it('traps 14 and 15: leaves none and one call at a time', () => {
    const none = { ...asked, tool_choice: 'none' }
    expect(
      sent('chat-completions', 'messages', 'claude-opus-5-5', none).body['tool_choice'],
    ).toEqual({
      type: 'none',
    })
    const single = { ...asked, tool_choice: 'required', parallel_tool_calls: false }
    expect(
      sent('chat-completions', 'messages', 'claude-opus-5-5', single).body['tool_choice'],
    ).toEqual({ type: 'auto', disable_parallel_tool_use: true })
  })
})

describe('not to think', () => {
  it('trap 16: between tools, with no more effort than goes with that', () => {
    const asked = {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      thinking: { type: 'disabled' },
      reasoning_effort: 'max',
    }
    const { body, losses } = sent('chat-completions', 'messages', 'claude-sonnet-5-5', asked)
    expect(body).toMatchObject({
      thinking: { type: 'between_tools' },
      output_config: { effort: 'high' },
    })
    expect(losses).toEqual(
      expect.arrayContaining(['approximated reasoning.mode', 'approximated reasoning.effort']),
    )
  })

  it('trap 17: is an effort for a model that always thinks, which would take its most otherwise', () => {
    const zai = { profile: 'zai' }
    const { body } = wished('messages', 'chat-completions', 'glm-5.3', { off: true }, zai)
    expect(body['reasoning_effort']).toBe('low')
  })

  it.each([
    ['messages', 'claude-opus-5-5'],
    ['responses', 'gpt-6.1-sol'],
    ['generate-content', 'gemini-3.8-flash'],
    ['chat-completions', 'gpt-6.2-sol'],
  ] as const)('trap 18: means the same from every caller of %s', (to, model) => {
    const callers = (
      ['messages', 'responses', 'chat-completions', 'generate-content'] as const
    ).filter((from) => from !== to)
    const thoughts = callers.map((from) => {
      const { body, losses } = wished(from, to, model, { off: true })
      const { thinking, output_config, reasoning, reasoning_effort, generationConfig } = body
      expect(losses).toContain('approximated reasoning.mode')
      const config = (generationConfig as { thinkingConfig?: object } | undefined)?.thinkingConfig
      return JSON.stringify({ thinking, output_config, reasoning, reasoning_effort, config })
    })
    expect(new Set(thoughts).size).toBe(1)
  })
})

describe('an effort', () => {
  it.each([
    ['chat-completions', 'glm-5.3', 'zai', 'low'],
    ['responses', 'gpt-5.5-pro', undefined, 'medium'],
    ['chat-completions', 'mistral-medium-latest', 'mistral', 'high'],
  ] as const)(
    'trap 19: minimal to %s %s is the least that thinks',
    (to, model, profile, effort) => {
      const from = 'generate-content'
      const { body } = wished(from, to, model, { effort: 'minimal' }, profile ? { profile } : {})
      expect(effortOf(body)).toBe(effort)
    },
  )

  it('trap 20: is left out where the model takes none, and that is told once', () => {
    const options = { profile: 'kimi' }
    const { body, losses } = wished(
      'messages',
      'chat-completions',
      'kimi-k2.6',
      { effort: 'high' },
      options,
    )
    expect(effortOf(body)).toBeUndefined()
    expect(losses.filter((loss) => loss === 'dropped reasoning.effort')).toHaveLength(1)
  })

  it('traps 21 and 22: beside a budget it is dropped; xhigh is max where that is next', () => {
    const asked = {
      model: 'm',
      max_tokens: 20_000,
      messages: [{ role: 'user', content: 'x' }],
      reasoning: { max_tokens: 5000, effort: 'xhigh' },
    }
    const budget = sent('chat-completions', 'messages', 'claude-sonnet-4-5', asked)
    expect(budget.body['thinking']).toMatchObject({ budget_tokens: 5000 })
    expect(budget.body).not.toHaveProperty('output_config')
    const { body, losses } = wished('responses', 'messages', 'claude-opus-4-6', { effort: 'xhigh' })
    expect(effortOf(body)).toBe('max')
    expect(losses).toContain('approximated reasoning.effort')
  })
})

describe('sampling', () => {
  const warm = { temperature: 0.3 }

  it('trap 23: is kept where the model does not think', () => {
    expect(temperatureFor('gpt-5.4', warm)).toBe(0.3)
    expect(temperatureFor('gpt-5.5', warm)).toBeUndefined()
    expect(temperatureFor('gpt-5.4', { ...warm, off: true })).toBe(0.3)
    expect(temperatureFor('gpt-5.5', { ...warm, off: true })).toBe(0.3)
    expect(temperatureFor('gpt-6.2-sol', { ...warm, off: true })).toBeUndefined()
  })

  it('trap 24: of the usual kind is no loss', () => {
    const { body, losses } = wished('messages', 'responses', 'gpt-6.2-sol', {
      temperature: 1,
      topP: 1,
    })
    expect(body).not.toHaveProperty('temperature')
    expect(losses).toEqual([])
  })

  it('trap 25: is what a model has', () => {
    expect(kimiTemperature({ temperature: 1 }, 'kimi-k3')).toBe(1)
    expect(kimiTemperature({ temperature: 0.3 }, 'kimi-k3')).toBeUndefined()
    expect(kimiTemperature({ temperature: 0.6, off: true }, 'kimi-k2.6')).toBe(0.6)
    expect(kimiTemperature({ temperature: 1, off: true }, 'kimi-k2.6')).toBeUndefined()
  })

  it('trap 26: log probabilities are dropped where the model thinks', () => {
    const from = 'generate-content'
    expect(wished(from, 'responses', 'gpt-6-sol', { logprobs: true }).body).not.toHaveProperty(
      'top_logprobs',
    )
    expect(wished(from, 'responses', 'gpt-4.1', { logprobs: true }).body['top_logprobs']).toBe(2)
  })
})

describe('the bound of a reply', () => {
  it('trap 27: is at most what the model gives, with the budget below it', () => {
    const { body, losses } = wished('chat-completions', 'messages', 'claude-sonnet-4-5', {
      bound: 900_000,
      budget: 100_000,
    })
    expect(body).toMatchObject({ max_tokens: 64_000, thinking: { budget_tokens: 63_999 } })
    expect(losses).toContain('approximated limits.maxOutputTokens')
  })

  it('trap 28: is all that a model gives that always thinks, where none is said', () => {
    expect(boundFor('claude-opus-5-5')).toBe(128_000)
    expect(boundFor('claude-opus-4-8')).toBe(8192)
  })
})

const upstream = { dialect: 'messages', url: 'https://u.example', key: 'k'.repeat(16) }
const settingsWith = (models: object, route: object = {}) =>
  readSettings(
    {
      upstreams: { u: { ...upstream, models }, v: upstream },
      routes: [{ model: '*', upstream: 'u', ...route }],
    },
    {},
  )

describe('whose facts hold', () => {
  it('trap 9: a glob is on the name that is sent', () => {
    const settings = settingsWith({ 'sent-*': { is: 'claude-opus-5' } }, { as: 'sent-1' })
    expect(findDestination(settings, dialects, 'gpt-5.5')?.target).toMatchObject({
      model: 'sent-1',
      facts: { is: 'claude-opus-5' },
    })
  })

  it('trap 10: a caller of the same dialect is not corrected', () => {
    const asked = claude({
      thinking: { type: 'disabled' },
      temperature: 0.3,
      tools,
      tool_choice: named,
    })
    const { body, losses } = sent('messages', 'messages', 'claude-opus-5-5', asked)
    expect(body).toEqual({ ...asked, model: 'claude-opus-5-5' })
    expect(losses).toEqual([])
  })

  it('trap 30: those of the model that is asked, and not of the one that was named', () => {
    const asked = { ...ASKED.responses('gpt-5.5', { off: true }), model: 'gpt-5.5' }
    const { body } = sent('responses', 'messages', 'claude-opus-4-8', asked)
    expect(body['thinking']).toEqual({ type: 'disabled' })
  })
})

describe('Gemini', () => {
  it('trap 31: MINIMAL is for those that take it', () => {
    for (const model of ['gemini-3.5-flash', 'gemini-3.6-flash', 'gemini-3.5-flash-lite'])
      expect(levelFor(model, 'minimal')).toBe('MINIMAL')
    for (const model of [
      'gemini-3.7-flash',
      'gemini-3.8-flash',
      'gemini-4-neon',
      'gemini-flash-latest',
    ])
      expect(levelFor(model, 'minimal')).toBe('LOW')
  })

  it('traps 33 and 34: some take no word of thinking, and instructions from the user', () => {
    const asked = {
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'x' },
      ],
      reasoning_effort: 'high',
    }
    const gemma = sent('chat-completions', 'generate-content', 'gemma-4-31b-it', asked)
    expect(gemma.body).not.toHaveProperty('systemInstruction')
    expect(JSON.stringify(gemma.body)).toContain('Be brief.')
    expect(JSON.stringify(gemma.body)).not.toContain('thinkingConfig')
    const off = wished('messages', 'generate-content', 'gemini-2.5-flash-image', { off: true })
    expect(JSON.stringify(off.body)).not.toContain('thinkingConfig')
    expect(off.losses).toEqual([])
  })

  it('trap 35: XHIGH is for those that take it', () => {
    expect(levelFor('gemini-4-hydrogen', 'xhigh')).toBe('XHIGH')
    expect(levelFor('gemini-4-argon', 'xhigh')).toBe('HIGH')
  })
})

describe('prices', () => {
  it('trap 36: above a step all rates change, and read and written tokens count', () => {
    expect(cachedCost(0)).toBe(2.72001 + 45)
    expect(cachedCost(272_001)).toBe(0.272001 + 45)
  })

  it('trap 36: a price changes on its day', () => {
    expect(listedPrice('gemini-4-argon', '2026-11-30')?.input).toBe(2)
    expect(listedPrice('gemini-4-argon', '2026-12-01')?.input).toBe(4)
  })

  it('trap 38: the step is where the service has it', () => {
    expect(inputCost('claude-haiku-5-5', 100_000)).toBe(0.01)
    expect(inputCost('claude-haiku-5-5', 100_001)).toBeCloseTo(0.0500005, 9)
    expect(inputCost('gpt-5.5', 272_000)).toBe(1.36)
    expect(inputCost('grok-4.7', 199_999)).toBe(0.399998)
    expect(inputCost('grok-4.7', 200_000)).toBe(0.8)
  })

  it('are those of the model that a deployment is, and none for another way to be served', () => {
    const u = settingsWith({ prod: { is: 'claude-opus-5-5' } }).upstreams.get('u')
    expect(costOf(u, 'prod', { input: 1_000_000 }, listedPrice)).toBe(4)
    expect(listedPrice('us.anthropic.claude-opus-5-5-v1:0')?.input).toBe(4)
    expect(listedPrice('claude-sonnet-5-5')?.cacheRead).toBe(0.1)
    expect(listedPrice('gpt-4o-2024-05-13')?.input).toBe(5)
    for (const name of ['qwen3-max-thinking', 'openai/gpt-5.5:batch', 'claude-opus-55'])
      expect(listedPrice(name)).toBeUndefined()
  })
})

describe('an exchange', () => {
  it('trap 39: with a model that is not known goes out, and its line in the log says so', async () => {
    const log: LogEntry[] = []
    const settings = readSettings({ ...demoConfig(), callers: 'open' }, {})
    const handler = createFetchHandler(settings, {
      send: withDemo(settings, adapters, () => Promise.reject(new Error('nobody asks'))),
      now: Date.now,
      randomId: () => 'id',
      log: (entry) => void log.push(entry),
    })
    const body = JSON.stringify({
      model: 'demo-responses',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'x' }],
    })
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
    const answer = await handler(
      new Request('http://proxy.test/v1/messages', { method: 'POST', headers, body }),
    )
    expect(answer.status).toBe(200)
    expect(log[0]).toMatchObject({ sentModel: 'demo-responses', takenFor: 'unknown' })
  })

  it('trap 29: over several members goes by the model of each', () => {
    const pool = [
      { name: 'u', as: 'claude-opus-4-8' },
      { name: 'v', as: 'claude-opus-5-5' },
    ]
    const settings = settingsWith({}, { upstream: pool })
    const [route] = settings.routes
    const forced = route
      ? membersOf(settings, route).map((member) => {
          const found = destinationOf(member, dialects, route, 'any')
          return found && knownOf(found.target, {}).forcedChoice
        })
      : []
    expect(forced).toEqual([true, false])
  })
})
