import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { isObject, listOf } from '../../src/json/json.ts'

/** The facts of a line of the table, by their short names. */
export type Facts = ReadonlyMap<string, string>

/** What a body says of the things that services refuse. */
export interface Said {
  /** `off`, how it thinks, or nothing. */
  thinking?: string | undefined
  effort?: string | undefined
  budget?: number | undefined
  forced?: 'any' | 'one' | undefined
  tools: number
  temperature?: number | undefined
  topP?: number | undefined
  topK?: number | undefined
  logprobs: boolean
  bound?: number | undefined
  boundWord?: string | undefined
  stop: boolean
  picture: boolean
  format: boolean
  strict: boolean
  endsWithModel: boolean
  penalties: boolean
  candidates: number
  code?: string | undefined
  deferred: boolean
}

const object = (value: unknown): JsonObject =>
  isObject(value as JsonObject) ? (value as JsonObject) : {}
const number = (value: unknown) => (typeof value === 'number' ? { value } : {}).value
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

const common = (body: JsonObject) => {
  const whole = JSON.stringify(body)
  return {
    temperature: number(body['temperature']),
    topP: number(body['top_p']),
    topK: number(body['top_k']),
    tools: listOf(body['tools']).length,
    picture: /"type":"(?:image|input_image|image_url)"|"inlineData"/.test(whole),
    strict: listOf(body['tools']).some((tool) => /"strict":true/.test(JSON.stringify(tool))),
    deferred: /"defer_loading"|"tool_search/.test(whole),
    logprobs: /logprobs|responseLogprobs/.test(whole),
    code: /"code_execution_(\d+)"/.exec(whole)?.[1],
  }
}

/** The body in the words of no dialect. */
export const HEARD: Readonly<Record<Dialect, (body: JsonObject) => Said>> = {
  messages(body) {
    const thinking = object(body['thinking'])
    const choice = text(object(body['tool_choice'])['type'])
    const type = text(thinking['type'])
    return {
      ...common(body),
      ...(type && { thinking: type === 'disabled' ? 'off' : type }),
      ...defined({
        effort: text(object(body['output_config'])['effort']),
        budget: number(thinking['budget_tokens']),
        bound: number(body['max_tokens']),
      }),
      ...(choice === 'any' && { forced: 'any' as const }),
      ...(choice === 'tool' && { forced: 'one' as const }),
      stop: 'stop_sequences' in body,
      format: 'format' in object(body['output_config']),
      endsWithModel: object(listOf(body['messages']).at(-1))['role'] === 'assistant',
      penalties: false,
      candidates: 1,
    }
  },
  responses(body) {
    const effort = text(object(body['reasoning'])['effort'])
    const choice = body['tool_choice']
    return {
      ...common(body),
      ...(effort && { effort, thinking: effort === 'none' ? 'off' : 'effort' }),
      ...defined({ bound: number(body['max_output_tokens']) }),
      ...(choice === 'required' && { forced: 'any' as const }),
      ...(isObject(choice) && choice['type'] !== 'allowed_tools' && { forced: 'one' as const }),
      stop: false,
      format: object(object(body['text'])['format'])['type'] === 'json_schema',
      endsWithModel: false,
      penalties: false,
      candidates: 1,
    }
  },
  'chat-completions'(body) {
    const effort = text(body['reasoning_effort'])
    const type = text(object(body['thinking'])['type'])
    const isOff = type === 'disabled' || effort === 'none' || body['enable_thinking'] === false
    const choice = body['tool_choice']
    const isOn = type !== undefined || effort !== undefined || body['enable_thinking'] === true
    return {
      ...common(body),
      ...((isOff || isOn) && { thinking: isOff ? 'off' : 'effort' }),
      ...defined({ effort, bound: number(body['max_tokens'] ?? body['max_completion_tokens']) }),
      ...('max_tokens' in body && { boundWord: 'max_tokens' }),
      ...((choice === 'required' || choice === 'any') && { forced: 'any' as const }),
      ...(isObject(choice) && { forced: 'one' as const }),
      stop: 'stop' in body,
      format: object(body['response_format'])['type'] === 'json_schema',
      endsWithModel: false,
      penalties: 'presence_penalty' in body || 'frequency_penalty' in body,
      candidates: number(body['n']) ?? 1,
    }
  },
  'generate-content'(body) {
    const config = object(body['generationConfig'])
    const thinking = object(config['thinkingConfig'])
    const level = text(thinking['thinkingLevel'])?.toLowerCase()
    const budget = number(thinking['thinkingBudget'])
    const calling = object(object(body['toolConfig'])['functionCallingConfig'])
    return {
      ...common({
        ...body,
        temperature: config['temperature'] ?? null,
        top_p: config['topP'] ?? null,
      }),
      ...(level && { effort: level, thinking: 'level' }),
      ...(budget !== undefined && { budget, thinking: budget === 0 ? 'off' : 'budget' }),
      ...defined({ bound: number(config['maxOutputTokens']) }),
      ...(calling['mode'] === 'ANY' && {
        forced: 'allowedFunctionNames' in calling ? ('one' as const) : ('any' as const),
      }),
      stop: 'stopSequences' in config,
      format: 'responseMimeType' in config,
      endsWithModel: object(listOf(body['contents']).at(-1))['role'] === 'model',
      penalties: 'presencePenalty' in config || 'frequencyPenalty' in config,
      candidates: number(config['candidateCount']) ?? 1,
    }
  },
}

const defined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>
  }

const ORDER = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** What a service refuses of a body, by the line of the table alone. */
export function refusedBy(dialect: Dialect, said: Said, facts: Facts, body: JsonObject): string[] {
  const is = (fact: string, value: string) => facts.get(fact) === value
  const { thinking: asked, effort } = said
  const style = facts.get('thinking') ?? ''
  const isOff = asked === 'off'
  const thinks = asked === undefined ? is('on', 'yes') : !isOff
  const efforts = facts
    .get('efforts')
    ?.split('/')
    .filter((each) => each !== '-')
  const offUpTo = facts.get('offUpTo')
  const budgets = facts.get('budget')?.split('/').map(Number)
  const isChat = dialect === 'chat-completions'
  const heats =
    (said.temperature !== undefined && said.temperature !== 1) ||
    (said.topP !== undefined && said.topP !== 1) ||
    said.topK !== undefined
  const sampling = facts.get('sampling') ?? ''
  const isHeatRefused = sampling === 'never' || (sampling === 'without-thinking' && thinks)
  const fixed = facts.get(isOff && facts.has('temperatureOff') ? 'temperatureOff' : 'temperature')
  const forced = facts.get('forced') ?? 'yes'
  const rules: readonly (readonly [string, boolean])[] = [
    ['any word of thinking', style === 'none' && asked !== undefined && !isOff],
    ['a budget', ['adaptive', 'level'].includes(style) && said.budget !== undefined],
    ['adaptive thinking', style === 'budget' && asked === 'adaptive'],
    ['a level', style === 'budget' && asked === 'level'],
    [
      'to be switched off',
      isOff && (is('off', 'no') || (is('off', 'between_tools') && dialect === 'messages')),
    ],
    ['the effort', effort !== undefined && efforts !== undefined && !efforts.includes(effort)],
    [
      'so much effort without thinking',
      isOff && offUpTo !== undefined && ORDER.indexOf(effort ?? 'none') > ORDER.indexOf(offUpTo),
    ],
    [
      'the budget’s size',
      budgets !== undefined &&
        said.budget !== undefined &&
        (said.budget < (budgets[0] ?? 0) || said.budget > (budgets[1] ?? 0)),
    ],
    [
      'to be forced',
      said.forced !== undefined &&
        (forced === 'no' ||
          (forced === 'without-thinking' && thinks) ||
          (forced === 'named' && said.forced === 'any')),
    ],
    ['to be forced while it thinks by budget', said.forced !== undefined && asked === 'enabled'],
    ['sampling', heats && isHeatRefused],
    ['log probabilities', said.logprobs && isHeatRefused && dialect === 'responses'],
    [
      'another temperature',
      fixed !== undefined &&
        ((said.temperature ?? Number(fixed)) !== Number(fixed) || said.topP !== undefined),
    ],
    [
      'so many tokens',
      said.bound !== undefined && said.bound > Number(facts.get('output') ?? Infinity),
    ],
    [
      'the older word for the bound',
      isChat && is('outputWord', 'max_completion_tokens') && said.boundWord !== undefined,
    ],
    ['stop sequences', said.stop && is('stops', 'no')],
    ['pictures', said.picture && is('image', 'no')],
    ['a schema', said.format && is('structured', 'no') && dialect === 'messages'],
    ['a schema over chat', said.format && is('chatSchema', 'no') && isChat],
    ['strict tools', said.strict && is('strict', 'no')],
    ['a last word of its own', said.endsWithModel && is('prefill', 'no')],
    ['penalties', said.penalties && is('penalties', 'no')],
    ['candidates', said.candidates > Number(facts.get('n') ?? Infinity)],
    [
      'the version of the tool for code',
      said.code !== undefined && facts.has('code') && !is('code', said.code),
    ],
    ['tools that are found', said.deferred && is('search', 'no')],
    [
      'functions while it thinks',
      isChat && said.tools > 0 && thinks && is('chatTools', 'without-thinking'),
    ],
    ['the switch for thinking', isChat && is('thinkingWord', 'no') && 'thinking' in body],
  ]
  return rules.flatMap(([what, isRefused]) => (isRefused ? [what] : []))
}
