/** What wheels of Python say of models, as `wheels.py` reads it out of them. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { money, ordered, price, type Source, type Statements } from './statements.ts'

const READER = fileURLToPath(new URL('./wheels.py', import.meta.url))

type Table = ReturnType<typeof JSON.parse>

/** Reads all wheels of a folder. The table by beginnings of names is read last, when the other tables have said the names. */
export function readWheels(folder: string, day: string, statements: Statements): void {
  const first = wheelsIn(folder, {})
  for (const [name, { version, tables }] of Object.entries<Table>(first)) {
    if (name.startsWith('langchain_'))
      langchain({ letter: 'C', name, version }, name.slice('langchain_'.length), tables, statements)
    if (name === 'litellm') {
      litellm({ letter: 'L', name, version }, tables.prices.data, statements)
      codex(tables.codex, statements)
    }
    if (name === 'genai_prices')
      genaiPrices({ letter: 'G', name, version }, tables, day, statements)
  }
  const makers = ['anthropic', 'openai', 'google', 'xai']
  const names = Object.fromEntries(makers.map((maker) => [maker, statements.namesOf(maker)]))
  const { pydantic_ai_slim: profiles } = wheelsIn(folder, names)
  if (profiles)
    pydantic(
      { letter: 'P', name: 'pydantic_ai_slim', version: profiles.version },
      profiles.tables,
      names,
      statements,
    )
}

const wheelsIn = (folder: string, names: object): Table =>
  JSON.parse(
    execFileSync('python3', [READER, folder], {
      input: JSON.stringify(names),
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    }),
  )

const LANGCHAIN: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google_genai: 'google',
  deepseek: 'deepseek',
  mistralai: 'mistral',
  xai: 'xai',
}

function langchain(source: Source, part: string, rows: Table, statements: Statements): void {
  for (const [id, row] of Object.entries<Table>(rows)) {
    if (row.text_outputs === false) continue
    const efforts: string[] | undefined =
      row.reasoning_effort_levels && ordered(row.reasoning_effort_levels)
    const hasNone = efforts?.includes('none')
    statements.say(source, LANGCHAIN[part] ?? part, id, {
      thinking: row.reasoning_output === false ? 'none' : undefined,
      efforts,
      off: hasNone || undefined,
      effortDefault: row.reasoning_effort_default,
      sampling: row.temperature === false && !hasNone ? 'never' : undefined,
      systemInPlace: row.mid_conversation_system_messages,
      structured: row.structured_output,
      image: row.image_inputs,
      pdf: row.pdf_inputs,
      audio: row.audio_inputs,
      video: row.video_inputs,
      window: row.max_input_tokens || undefined,
      output: row.max_output_tokens || undefined,
    })
  }
}

/** The providers of a list of prices that are the makers themselves. */
const LITELLM: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  gemini: 'google',
  deepseek: 'deepseek',
  moonshot: 'moonshot',
  dashscope: 'qwen',
  zai: 'zai',
  mistral: 'mistral',
  xai: 'xai',
  minimax: 'minimax',
}

function litellm(source: Source, rows: Table, statements: Statements): void {
  for (const [key, row] of Object.entries<Table>(rows)) {
    const maker = LITELLM[row.litellm_provider]
    const isChat = row.mode === 'chat' || row.mode === 'responses'
    if (maker === undefined || !isChat || key.startsWith('ft:')) continue
    const isForeign =
      (maker === 'qwen' && !key.includes('qw')) || (maker === 'mistral' && /glm|deepseek/.test(key))
    if (!isForeign)
      statements.say(source, maker, key.replace(/^[^/]*\//, ''), {
        ...litellmAbilities(row, maker),
        ...litellmFigures(row),
      })
  }
}

function litellmThinking(row: Table, maker: string) {
  const isOpenai = maker === 'openai' && row.supports_reasoning
  const flags = ['none', 'minimal', 'xhigh', 'max'].filter(
    (one) => row[`supports_${one}_reasoning_effort`],
  )
  const listed = row.reasoning_effort_levels
  return {
    thinking: row.supports_adaptive_thinking
      ? row.supports_legacy_thinking
        ? 'either'
        : 'adaptive'
      : row.supports_reasoning === false
        ? 'none'
        : undefined,
    off: row.thinking_always_on ? false : isOpenai ? row.supports_none_reasoning_effort : undefined,
    efforts: Array.isArray(listed)
      ? ordered(listed)
      : isOpenai && flags.length > 0
        ? ordered(['low', 'medium', 'high', ...flags])
        : undefined,
    effortDefault: row.default_reasoning_effort,
  }
}

function litellmAbilities(row: Table, maker: string) {
  const endpoints = maker === 'openai' ? row.supported_endpoints : undefined
  return {
    ...litellmThinking(row, maker),
    forced:
      row.supports_forced_tool_use ?? (row.supports_tool_choice === false ? false : undefined),
    sampling: row.supports_sampling_params === false ? 'never' : undefined,
    prefill: maker === 'anthropic' ? row.supports_assistant_prefill : undefined,
    systemInPlace: row.supports_mid_conversation_system,
    search: row.supports_tool_search,
    structured: row.supports_native_structured_output,
    image: row.supports_vision,
    pdf: row.supports_pdf_input,
    audio: row.supports_audio_input,
    video: row.supports_video_input,
    marks: row.supports_prompt_cache_breakpoint,
    chat: endpoints?.includes('/v1/chat/completions'),
  }
}

function litellmFigures(row: Table) {
  const member = Object.keys(row).find((one) =>
    /^input_cost_per_token_above_\d+k_tokens$/.test(one),
  )
  const tier = /_above_(\d+)k_tokens$/.exec(member ?? '')?.[1]
  const per = (name: string, end = '') =>
    row[name + end] === undefined ? undefined : row[name + end] * 1e6
  const rates = (end: string, hour?: number) =>
    price(
      per('input_cost_per_token', end),
      per('cache_read_input_token_cost', end),
      per('cache_creation_input_token_cost', end),
      hour,
      per('output_cost_per_token', end),
    )
  const above = tier === undefined ? undefined : rates(`_above_${tier}k_tokens`)
  const batches = row.input_cost_per_token_batches
  return {
    cacheMin: row.prompt_cache_min_tokens,
    window: row.max_input_tokens,
    output: row.max_output_tokens,
    ends: row.deprecation_date,
    next: row.successor_model?.replace(/^[^/]*\//, ''),
    price: rates('', per('cache_creation_input_token_cost_above_1hr')),
    above: above && [Number(tier) * 1000, ...above],
    batch: batches === undefined ? undefined : money(batches / row.input_cost_per_token),
  }
}

/** The catalogue of Codex, which one of the wheels carries. */
function codex(found: Table, statements: Statements): void {
  const version = /_([\d.]+)\.json$/.exec(found?.file ?? '')?.[1] ?? ''
  for (const row of found?.data.models ?? [])
    statements.say({ ...CODEX, version }, 'openai', row.slug, {
      verbosity: row.support_verbosity,
      image: row.input_modalities?.includes('image'),
      search: row.supports_search_tool,
    })
}

const CODEX = { letter: 'X', name: 'codex' }

/** The providers of another list of prices. */
const GENAI: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  deepseek: 'deepseek',
  moonshotai: 'moonshot',
  'x-ai': 'xai',
  mistral: 'mistral',
  minimax: 'minimax',
  zhipu: 'zai',
  zai: 'zai',
  qwen: 'qwen',
}

const RATES = [
  'input_mtok',
  'cache_read_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
  'output_mtok',
]

const ratesOf = (prices: Table, pick: (rate: Table) => unknown) =>
  price(...RATES.map((word) => pick(prices[word])))

const base = (rate: Table) => (rate && typeof rate === 'object' ? rate.base : rate)
const dearer = (rate: Table) => (rate && typeof rate === 'object' ? rate.tiers?.[0]?.price : rate)

function genaiPrices(source: Source, providers: Table, day: string, statements: Statements): void {
  for (const { id: provider, models } of providers) {
    const maker = GENAI[provider]
    for (const model of maker === undefined ? [] : models)
      statements.say(source, maker ?? '', model.id, pricesOf(model, day))
  }
}

/** Some prices hold at times of the day alone; those of a day on which they begin are looked for. */
const startOf = ({ constraint }: Table): string => constraint?.start_date ?? ''

function pricesOf(model: Table, day: string) {
  const list: Table[] = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }]
  const dated = list.filter(({ constraint }) => !constraint || constraint.start_date)
  const now = dated.findLast((one) => startOf(one) <= day)?.prices
  if (!now) return {}
  const later = dated.find((one) => startOf(one) > day)
  const start = RATES.map((word) => now[word]?.tiers?.[0]?.start).find((one) => one !== undefined)
  const above = start === undefined ? undefined : ratesOf(now, dearer)
  const next = later && ratesOf(later.prices, base)
  return {
    price: ratesOf(now, base),
    // An hour's writing has no step.
    above: above && [start, ...above.map((rate, at) => (at === 3 ? null : rate))],
    priceFrom: next && [startOf(later), ...next],
    window: model.context_window,
  }
}

function pydantic(
  source: Source,
  tables: Table,
  names: Readonly<Record<string, string[]>>,
  statements: Statements,
): void {
  for (const [name, is] of Object.entries<Table>(tables.anthropic))
    if (/^claude-[a-z]+-\d/.test(name))
      statements.say(source, 'anthropic', name, claudeFacts(name, is, tables.anthropic_inline))
  for (const [name, is] of Object.entries<Table>(tables.openai)) {
    const facts = openaiFacts(name, is, tables.openai_reasoning)
    if (facts) statements.say(source, 'openai', name, facts)
  }
  for (const name of names['google'] ?? []) {
    const [, levels] =
      tables.google.levels.find(([start]: [string]) => name.startsWith(start)) ?? []
    const efforts = levels && ordered(levels.map((one: string) => one.toLowerCase()))
    if (efforts) statements.say(source, 'google', name, { thinking: 'level', efforts })
  }
  for (const name of names['xai'] ?? []) {
    const [, generation] =
      Object.entries<string[]>(tables.grok)
        .filter(([list, models]) => list.endsWith('_REASONING_MODELS') && models.includes(name))
        .map(([list]) => /^_GROK_(\w+)_REASONING_MODELS$/.exec(list) ?? [])
        .find(([, one]) => tables.grok[`_GROK_${one}_REASONING_EFFORTS`]) ?? []
    const listed: string[] | undefined = tables.grok[`_GROK_${generation}_REASONING_EFFORTS`]
    const efforts = listed && ordered(listed)
    if (efforts)
      statements.say(source, 'xai', name, {
        thinking: 'effort',
        efforts,
        off: efforts.includes('none'),
      })
  }
}

function claudeFacts(name: string, is: Table, inline: readonly string[]) {
  const all = ['low', 'medium', 'high', 'max']
  const most = is.supports_xhigh_effort ? ordered([...all, 'xhigh']) : all
  const efforts = name.includes('opus-4-5') ? ['low', 'medium', 'high'] : most
  const isOpen = !is.disallows_budget_thinking
  return {
    thinking: is.supports_adaptive ? (isOpen ? 'either' : 'adaptive') : 'budget',
    off: is.disables_thinking_with_between_tools ? 'between_tools' : !is.thinking_always_enabled,
    offUpTo: is.disallows_top_effort_when_thinking_disabled ? 'high' : undefined,
    on: is.thinking_enabled_by_default,
    efforts: is.supports_effort ? efforts : [],
    forced: is.supports_forced_tool_choice,
    sampling: is.disallows_sampling_settings ? 'never' : 'always',
    binds: is.binds_thinking_blocks,
    search: is.supports_tool_search,
    structured: is.supports_json_schema_output,
    systemInPlace: inline.some((start) => name.startsWith(start)),
  }
}

function openaiFacts(name: string, is: Table, prefixes: Table) {
  const [, row] = Object.entries<Table>(prefixes).find(([start]) => name.startsWith(start)) ?? []
  if (!row && !/^gpt-[34]/.test(name)) return undefined
  const thinks = row?.enabled_by_default || row?.can_be_disabled
  return {
    thinking: thinks ? 'effort' : 'none',
    efforts: Array.isArray(row?.efforts) ? ordered(row.efforts) : undefined,
    off: thinks ? row.can_be_disabled : undefined,
    on: row?.enabled_by_default,
    sampling: !thinks ? 'always' : row.can_be_disabled ? 'without-thinking' : 'never',
    marks: is.supports_prompt_cache_breakpoints,
    search: is.supports_tool_search,
  }
}
