import { EFFORTS } from '../rules/effort.ts'
import type { Effort } from '../model/request.ts'
import type { KnownFacts, SayableFacts } from './facts.ts'

/** What a configuration may say of a model, so that it is not asked again for what it refuses. */
export interface Amendment extends SayableFacts {
  drop?: string[]
}

/** What the words of a refusal are compared with. */
export interface Assumed {
  readonly facts: KnownFacts
  /** The parameters that a configuration may leave out. */
  readonly droppable: readonly string[]
}

interface Rule {
  words: RegExp
  amend(found: RegExpExecArray, said: string, assumed: Assumed): Amendment | undefined
}

const always = (words: RegExp, amendment: Amendment): Rule => ({ words, amend: () => amendment })

const { source: NOT } =
  /(?:not (?:currently )?(?:be )?(?:support|enabled|allowed|available)|unsupported|unavailable|deprecated)/
/** A subject that stands shortly before the refusal of it, or shortly behind. */
const refused = ({ source }: RegExp): RegExp =>
  new RegExp(`(?:${source}).{0,120}${NOT}|${NOT}.{0,80}(?:${source})`, 'is')

/** The words in which services refuse what a model does not take; the first that fits is the nearest. */
const RULES: readonly Rule[] = [
  { words: /max_tokens: \d+ > (\d+), which is the maximum/i, amend: ([, most]) => bounded(most) },
  {
    words: /supports at most (\d+) (?:completion|output) tokens/i,
    amend: ([, most]) => bounded(most),
  },
  always(
    /set to required or object in thinking mode|tool_choice.{0,40}incompatible with thinking/is,
    { forcedChoice: false },
  ),
  always(refused(/tool_choice/), { forcedChoice: false }),
  always(/disabled.{0,40}not support.{0,80}between_tools/is, { thinkingOff: 'between_tools' }),
  always(
    /thinking\.type\.disabled|only works in thinking mode|thinking (?:mode )?(?:cannot|can ?not|can't) be (?:disabled|turned off)/i,
    { thinkingOff: false },
  ),
  {
    words: /thinking.{0,20}cannot be disabled/is,
    amend: (_, said) => withEfforts(said, { thinkingOff: false }),
  },
  always(/thinking\.type\.enabled"? is not|budget_tokens.{0,60}not support/is, {
    thinking: 'adaptive',
  }),
  always(/thinking\.type\.adaptive"? is not|adaptive thinking is not support/i, {
    thinking: 'budget',
  }),
  always(/thinking[_ ]?level is not support/i, { thinking: 'budget' }),
  always(/thinking[_ ]?budget is not support/i, { thinking: 'level' }),
  { words: refused(/configuration_update/), amend: () => ({ effortUpdates: false }) },
  { words: refused(/effort|thinking[_ ]level/), amend: (_, said, about) => efforts(said, about) },
  {
    words: /effort.{0,60}supported values|supported values.{0,200}effort/is,
    amend: (_, said, about) => efforts(said, about),
  },
  always(/prefill|must end with a user message/i, { prefill: false }),
  always(refused(/role ['"\x60]?system/), { systemInPlace: false }),
  always(refused(/prompt_cache_breakpoint/), { cacheBreakpoints: false }),
  always(refused(/tool_search|defer_loading/), { deferredTools: false }),
  always(refused(/additional_tools/), { lateTools: false }),
  always(/built-in tools.{0,80}(?:cannot|can't) be combined/is, { mixesTools: false }),
  always(/temperature.{0,80}only .{0,30}(?:allowed|supported)/is, { sampling: 'never' }),
  always(refused(/\b(?:temperature|top_?p)\b/), { sampling: 'never' }),
  always(refused(/logprobs/), { sampling: 'never' }),
  {
    words: /(?:parameters?:?|unknown name|argument(?: supplied)?:?) ['"\x60]?([\w.]+)['"\x60]?/i,
    amend: ([, name = ''], _, about) => dropped(name, about),
  },
  {
    words: new RegExp(/['"\x60]([\w.]+)['"\x60] (?:is|are) /.source + NOT, 'i'),
    amend: ([, name = ''], _, about) => dropped(name, about),
  },
]

/** Whether a refusal is about what the service or its model takes, and not about a value that was misspelled. */
const ABOUT = new RegExp(
  `${NOT}|${/\bmodel\b|thinking mode|prefill|which is the maximum|cannot find field|cannot be combined|unrecognized request argument/.source}`,
  'i',
)

/** What would have spared the refusal; undefined where that is known already, or nothing would. */
export function amendmentFor(text: string, assumed: Assumed): Amendment | undefined {
  // Words within words of another service stand in a JSON text.
  const said = text.replaceAll('\\', '')
  if (!ABOUT.test(said)) return undefined
  for (const { words, amend } of RULES) {
    const found = words.exec(said)
    const amendment = found && amend(found, said, assumed)
    if (amendment) return news(amendment, assumed.facts)
  }
  return undefined
}

function news(amendment: Amendment, known: KnownFacts): Amendment | undefined {
  const facts = new Map(Object.entries(known).map(([fact, value]) => [fact, JSON.stringify(value)]))
  const left = Object.entries(amendment).filter(
    ([fact, value]) => facts.get(fact) !== JSON.stringify(value),
  )
  return left.length > 0 ? Object.fromEntries(left) : undefined
}

const bounded = (most: string | undefined): Amendment => ({ maxOutputTokens: Number(most) })

const dropped = (name: string, { droppable }: Assumed): Amendment | undefined =>
  droppable.includes(name) ? { drop: [name] } : undefined

/** Where the efforts begin that a model takes. */
const LIST =
  /(?:supported|allowed|valid|available|accepted) (?:values|levels|efforts|options)|please use|should be|must be|one of/i

const effortsIn = (text: string): Effort[] => {
  const words = new Set(text.toLowerCase().match(/[a-z]+/g))
  return EFFORTS.filter((effort) => words.has(effort))
}

function withEfforts(said: string, amendment: Amendment): Amendment {
  const list = effortsIn(listIn(said))
  return list.length > 0 ? { ...amendment, efforts: list } : amendment
}

function listIn(said: string): string {
  const at = said.search(LIST)
  return at < 0 ? '' : said.slice(at)
}

/** What every model that takes efforts takes. */
const USUAL: readonly Effort[] = ['low', 'medium', 'high']

/** The efforts that the refusal lists, else those known before without the refused one; none where the parameter is refused. */
function efforts(said: string, { facts }: Assumed): Amendment {
  const list = listIn(said)
  const refusedOnes = effortsIn(said.slice(0, said.length - list.length).replaceAll('_', ' '))
  const off = refusedOnes.includes('none') ? { thinkingOff: false } : {}
  if (list !== '') return withEfforts(said, off)
  if (refusedOnes.length === 0) return { efforts: [] }
  const others = (facts.efforts ?? USUAL).filter((effort) => !refusedOnes.includes(effort))
  return { ...off, efforts: others }
}
