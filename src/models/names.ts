/**
 * Names of models, seen through what clouds and routers put round them. A name is never taken for another one that
 * begins like it: `claude-opus-5` is not `claude-opus-5-5`.
 */

const REGION = /^(?:us-gov|us|eu|apac|ap|jp|au|ca|global)\./
const MAKER = /^(?:anthropic|openai|google|moonshotai|zai|deepseek|mistral|qwen|xai|minimax)\./
const HOST = /^(?:databricks-|system\.ai\.|fw-)/
/** A model trained further, a name behind an address, and what follows a path. */
const TUNED = /^ft:([^:]+):.*$/
const FOLDERS = /^.*\//
const METHOD = /:(?:stream|batch)?(?:generatecontent|counttokens)$/
/** Variants of clients, days and versions of clouds. */
const VARIANT = /\[[^\]]*\]$/
const AT = /@[^@/]*$/
const VERSION = /-v\d+(?::\d+)?(?::\d+k)?$|-\d+:\d+$/
/** `gpt-oss:20b` is a size, any other word is a way to be served, mostly at a price of its own. */
const SIZE = /^(gpt-oss):(\d+b)$/
const SERVED = /:[\w.-]+$/

/** What stands behind the name of a model and makes it no other one, in the order in which it is taken off. */
const TAILS = [
  /-(?:20\d{6}|20\d\d-\d\d-\d\d|\d\d-20\d\d|\d{3,4})$/,
  /-(?:preview|exp)(?:-.*)?$/,
  /-(?:maas|fp8|latest)$/,
]
/** The same, where it may cost something else. */
const DEAR_TAILS = [/-(?:free|thinking)$/]

export interface PlainName {
  name: string
  /** The cloud or router that wraps a name so. */
  service?: 'bedrock' | 'vertex' | 'other'
  /** It is served in a way that may have a price of its own. */
  priced: boolean
}

/** The name without its wrapping; what is left may be of no known model. */
export function unwrapped(wrapped: string): PlainName {
  const whole = wrapped.trim().toLowerCase()
  const bare = whole
    .replace(/^~/, '')
    .replace(TUNED, '$1')
    .replace(FOLDERS, '')
    .replace(METHOD, '')
    .replace(VARIANT, '')
  const sized = bare.replace(SIZE, '$1-$2')
  const versioned = sized.replace(AT, '').replace(VERSION, '')
  const served = versioned.replace(SERVED, '')
  const name = spelled(withoutHosts(served))
  const service = serviceOf(bare, versioned !== sized, whole)
  return { name, ...(service && { service }), priced: served === versioned && !TUNED.test(whole) }
}

function withoutHosts(name: string): string {
  const shorter = name.replace(REGION, '').replace(MAKER, '').replace(HOST, '')
  return shorter === name || shorter === '' ? name : withoutHosts(shorter)
}

function serviceOf(bare: string, isVersioned: boolean, whole: string): PlainName['service'] {
  if (AT.test(bare) || whole.startsWith('publishers/')) return 'vertex'
  if (whole.startsWith('arn:') || isVersioned || REGION.test(bare) || MAKER.test(bare))
    return 'bedrock'
  const isPlain = whole === bare || whole === `models/${bare}` || VARIANT.test(whole)
  return isPlain && !HOST.test(bare) && (SIZE.test(bare) || !SERVED.test(bare))
    ? undefined
    : 'other'
}

/** The generation is spelled in one way: `claude-opus-5-5`, and `gpt-5.5` for `gpt-5-5` and `gpt-5p5`. */
export const spelled = (name: string): string =>
  name.startsWith('claude-')
    ? name.replaceAll('.', '-').replace(/^claude-((?:\d-)?\d)-([a-z]+)/, 'claude-$2-$1')
    : name.replace(/(?<!\d|\d-)(\d{1,2})[-p](\d{1,2})(?![\da-z])/, '$1.$2')

/** The name, and what is left of it without its tails, until one of them is known. */
export function* shortened(name: string): Generator<{ name: string; priced: boolean }> {
  let rest = name
  yield { name: rest, priced: true }
  for (const tail of TAILS) {
    const shorter = rest.replace(tail, '')
    if (shorter === rest) continue
    rest = shorter
    yield { name: rest, priced: true }
  }
  for (const tail of DEAR_TAILS)
    if (tail.test(rest)) yield { name: rest.replace(tail, ''), priced: false }
}

/** The words of a name without its generation: what models of one line have in common. */
export const lineOf = (name: string): string[] =>
  (name.replace(/-latest$/, '').match(/[a-z]+/g) ?? []).filter((word) => word !== 'v')
