/** What packages of npm say of models. Their tables are data in a bundle: one region of it, evaluated with nothing at hand. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { price, type Source, type Statements } from './statements.ts'

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

/** A package in one of the folders. */
interface Package extends Source {
  /** The text of a file of it; empty where there is none. */
  read(file: string): string
}

function packageIn(folders: readonly string[], name: string, letter: string): Package | undefined {
  const folder = folders.map((one) => join(one, name)).find((one) => existsSync(one))
  if (folder === undefined) return undefined
  const read = (file: string) =>
    existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : ''
  return { letter, name, version: JSON.parse(read('package.json')).version, read }
}

/** The value of `answer` in the region of a bundle that came from `file`. */
function region(text: string, file: string, answer: string) {
  const start = text.indexOf(`//#region src/${file}`)
  const end = text.indexOf('//#endregion', start)
  if (start < 0 || end < 0) return {}
  const code = text.slice(start, end).replaceAll(/^(?:import|export) .*$/gm, '')
  const script = `${code};JSON.stringify(${answer})`
  return JSON.parse(runInNewContext(script, Object.create(null), { timeout: 5000 }))
}

/** A table says `unknown` where it does not know, and an object where it depends. */
const known = (value: unknown) =>
  typeof value === 'boolean' || (typeof value === 'string' && value !== 'unknown')
    ? value
    : undefined

export function readNpm(folders: readonly string[], statements: Statements): void {
  for (const [name, letter, read] of PACKAGES) {
    const found = packageIn(folders, name, letter)
    if (found) read(found, statements)
  }
}

type Read = (found: Package, statements: Statements) => void

function aiAnthropic(found: Package, statements: Statements): void {
  const rows = region(
    found.read('dist/index.js'),
    'anthropic-model-catalog.ts',
    'anthropicModelCatalog',
  )
  for (const [id, row] of Object.entries<typeof rows>(rows)) {
    const { reasoning, sampling, tools, structuredOutput } = row.capabilities.language
    const { effort } = row.providerOptions.language
    const { knownModel, maxOutputTokens } = row.requestConfig.language
    const isCapped = reasoning.canDisable && !reasoning.canDisableAboveHighEffort
    statements.say(found, 'anthropic', id, {
      thinking: reasoning.adaptive ? (reasoning.budget ? 'either' : 'adaptive') : 'budget',
      off: reasoning.betweenTools ? 'between_tools' : reasoning.canDisable,
      offUpTo: isCapped ? 'high' : undefined,
      efforts: effort === false ? [] : reasoning.efforts,
      forced: tools.forcedChoice,
      sampling: sampling.temperature === true ? 'always' : 'never',
      search: known(tools.toolSearch),
      structured: structuredOutput.native,
      output: knownModel ? maxOutputTokens : undefined,
    })
  }
}

function aiOpenai(found: Package, statements: Statements): void {
  const rows = region(
    found.read('dist/index.js'),
    'openai-model-catalog.ts',
    'openaiLanguageModelEntries',
  )
  for (const [id, row] of Object.entries<typeof rows>(rows)) {
    const { reasoning, promptCache, endpoints } = row.capabilities.language
    const thinks = reasoning.support === true
    const isFixed = reasoning.sampling === 'unsupported'
    statements.say(found, 'openai', id, {
      thinking: reasoning.support === 'unknown' ? undefined : thinks ? 'effort' : 'none',
      efforts: reasoning.efforts,
      off: reasoning.efforts?.includes('none'),
      sampling: !thinks ? 'always' : isFixed ? 'never' : 'without-thinking',
      marks: known(promptCache.options),
      chatTools: endpoints.chat.functionToolsWithReasoning ? undefined : 'without-thinking',
    })
  }
}

function aiGoogle(found: Package, statements: Statements): void {
  const rows = region(found.read('dist/index.js'), 'google-model-catalog.ts', 'googleModelCatalog')
  for (const [id, row] of Object.entries<typeof rows>(rows)) {
    const { reasoning, inputs, structuredOutput } = row.capabilities.language
    const byLevel = row.requestConfig.language.thinkingFormat === 'level'
    const isOld = /2\.0/.test(id)
    statements.say(found, 'google', id, {
      thinking: byLevel ? 'level' : isOld ? 'none' : 'budget',
      efforts: byLevel ? reasoning.efforts : undefined,
      budget: byLevel || isOld ? undefined : [reasoning.minBudget, reasoning.maxBudget],
      off: byLevel ? undefined : reasoning.minBudget === 0,
      structuredWithTools: structuredOutput.withFunctionTools,
      image: known(inputs.image),
    })
  }
}

function aiMistral(found: Package, statements: Statements): void {
  const rows = region(
    found.read('dist/index.js'),
    'mistral-model-catalog.ts',
    'mistralModelCatalog',
  )
  for (const [id, row] of Object.entries<typeof rows>(rows)) {
    const { reasoning, inputs } = row.capabilities.language ?? {}
    if (reasoning)
      statements.say(found, 'mistral', id, {
        thinking: reasoning.support ? 'effort' : 'none',
        efforts: reasoning.efforts,
        off: reasoning.support ? reasoning.efforts.includes('none') : undefined,
        image: known(inputs.image),
      })
  }
}

/** A union of texts in a file of types. */
const unionIn = (types: string, name: RegExp): string[] =>
  [...types.matchAll(name)].flatMap(([, list = '']) =>
    [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id),
  )

function anthropicSdk(found: Package, statements: Statements): void {
  const types = found.read('resources/messages/messages.d.ts')
  for (const id of unionIn(types, /export type Model = ([^;]+);/g))
    statements.say(found, 'anthropic', id, { listed: true })
  const ends = [
    'internal/data/deprecated-models.js',
    'internal/data.js',
    'resources/messages/messages.js',
  ]
    .map((file) => found.read(file))
    .find((text) => /DEPRECATED_MODELS = \{/.test(text))
  for (const [, id = '', month = '', day = '', year] of (ends ?? '').matchAll(
    /'([^']+)': '(\w+) (\d+)\w+, (\d{4})'/g,
  )) {
    const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0')
    statements.say(found, 'anthropic', id, { ends: `${year}-${number}-${day.padStart(2, '0')}` })
  }
}

function openaiSdk(found: Package, statements: Statements): void {
  const types = found.read('resources/shared.d.ts')
  for (const id of unionIn(types, /export type (?:ChatModel|ResponsesModel) = ([^;]+);/g))
    statements.say(found, 'openai', id, { listed: true })
  const notes = types.replaceAll(/\n \* ?/g, ' ')
  for (const [, ids = '', ends] of notes.matchAll(
    / - ((?:"[^"]+",?\s*)+): Announced shutdown\s+date:\s+(\d{4}-\d\d-\d\d)/g,
  ))
    for (const [, id = ''] of ids.matchAll(/"([^"]+)"/g))
      statements.say(found, 'openai', id, { ends })
}

function googleSdk(found: Package, statements: Statements): void {
  for (const [, id = ''] of found.read('dist/genai.d.ts').matchAll(/'(gemini-[\w.-]+)'/g))
    statements.say(found, 'google', id, { listed: true })
}

/** The files of a package by provider, and the makers whose own services they are. */
const PI: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  deepseek: 'deepseek',
  moonshotai: 'moonshot',
  zai: 'zai',
  mistral: 'mistral',
  xai: 'xai',
  minimax: 'minimax',
  'qwen-token-plan': 'qwen',
}

/** A plan or a host serves other makers' models by rules of its own. */
const isForeign = (maker: string, id: string): boolean =>
  (maker === 'qwen' && !id.startsWith('qw')) || (maker === 'mistral' && /glm|deepseek/.test(id))

function pi(found: Package, statements: Statements): void {
  for (const [file, maker] of Object.entries(PI)) {
    const groups = JSON.parse(found.read(`dist/providers/data/${file}.json`) || '{}')
    for (const row of Object.values<PiRow>(groups).flatMap((group) => Object.values<PiRow>(group)))
      if (row.type === 'chat' && !isForeign(maker, row.id))
        statements.say(found, maker, row.id, { ...piAbilities(row, maker), ...piFigures(row) })
  }
}

type PiRow = ReturnType<typeof JSON.parse>

function piAbilities(row: PiRow, maker: string) {
  const { thinkingLevelMap: map, compat = {} } = row
  const efforts = map && 'low' in map ? piEfforts(map) : []
  const isFixed = compat.supportsTemperature === false && maker === 'anthropic'
  return {
    thinking: compat.forceAdaptiveThinking ? 'adaptive' : row.reasoning ? undefined : 'none',
    off: row.reasoning && map && 'off' in map ? map.off !== null : undefined,
    efforts: efforts.some((one) => one !== 'none') ? efforts : undefined,
    sampling: isFixed ? 'never' : undefined,
    systemInPlace: compat.supportsMidConvoSystemMessages,
    search: compat.supportsToolSearch,
    marks: compat.supportsExplicitPromptCacheMode,
    image: row.input?.includes('image'),
  }
}

/** A map that leaves the usual efforts out names only what is special. */
const piEfforts = (map: PiRow): string[] =>
  ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].filter((one) =>
    one === 'none' ? map.off === 'none' : typeof map[one] === 'string',
  )

function piFigures(row: PiRow) {
  const { cost = {} } = row
  const [tier] = cost.tiers ?? []
  const rates = (of: PiRow) => price(of.input, of.cacheRead, of.cacheWrite, undefined, of.output)
  const above = tier && rates(tier)
  return {
    window: tier?.inputTokensAbove === row.contextWindow ? undefined : row.contextWindow,
    output: row.maxTokens,
    // What a plan includes has no price.
    price: cost.input === 0 ? undefined : rates(cost),
    above: above && [tier.inputTokensAbove, ...above],
  }
}

/** The packages, their letters, and how each is read. */
const PACKAGES: readonly (readonly [name: string, letter: string, read: Read])[] = [
  ['@anthropic-ai/sdk', 'S', anthropicSdk],
  ['openai', 'S', openaiSdk],
  ['@google/genai', 'S', googleSdk],
  ['@ai-sdk/anthropic', 'A', aiAnthropic],
  ['@ai-sdk/openai', 'A', aiOpenai],
  ['@ai-sdk/google', 'A', aiGoogle],
  ['@ai-sdk/mistral', 'A', aiMistral],
  ['@earendil-works/pi-ai', 'E', pi],
]
