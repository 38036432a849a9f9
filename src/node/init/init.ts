import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { adapters } from '../../../adapters/index.ts'
import { ConfigError, type Environment, examined } from '../../config/config.ts'
import type { ConfigFault } from '../../config/lint/finding.ts'
import { parseJsonc } from '../../config/jsonc.ts'
import { hint } from '../../config/lint/nearest.ts'
import { spellPlace } from '../../config/lint/place.ts'
import { textSource } from '../../config/source.ts'
import { isObject, wordIn, type JsonObject } from '../../json/json.ts'
import type { Process } from '../process/process.ts'
import { errorCode, textFile } from '../process/files.ts'
import type { InitOptions, Options } from '../command/options.ts'
import { askPerson, isTyped } from './answers.ts'
import { fromCcr } from './ccr.ts'
import { CLOUD_UPSTREAMS } from './clouds.ts'
import { fromCliProxyApi } from './cliproxyapi.ts'
import { fromLitellm } from './litellm.ts'
import { type Converted, emptyConversion } from './source.ts'
import { parseYaml, TextFault } from './yaml.ts'

const FILE = 'dragoman.json'

/** The formats of other proxies that are read. */
const FORMATS: ReadonlyMap<string, (text: string) => Converted> = new Map([
  ['litellm', (text: string) => fromLitellm(parseYaml(text))],
  ['ccr', (text: string) => fromCcr(readJson(text))],
  ['cliproxyapi', (text: string) => fromCliProxyApi(parseYaml(text))],
])

/**
 * Writes a first configuration, from answers at a terminal or from the file of another proxy. It never replaces a
 * file.
 */
export async function init(options: Options, world: Process): Promise<void> {
  const { from, ...wanted } = options.init ?? {}
  if (from === undefined && wanted.file !== undefined)
    throw new ConfigError('options', 'init takes a FILE with --from alone; see --help')
  const name = options.config ?? FILE
  if (textFile(world.directory, name) !== undefined)
    throw new ConfigError(name, 'is there already, and init never writes over a file')
  const converted =
    from !== undefined
      ? fromFile(from, wanted, world)
      : wanted.cloud === undefined
        ? await fromAnswers(wanted, world)
        : oneUpstream(cloudUpstream(wanted.cloud, wanted))
  const text = valid(written(converted), converted, world)
  create(world.directory, name, text)
  world.write(report(name, text, converted, world.environment))
}

/** Throws when nothing of the file could be converted. */
function fromFile(from: string, { file }: InitOptions, world: Process): Converted {
  const read = FORMATS.get(from)
  const known = [...FORMATS.keys()]
  if (!read)
    throw new ConfigError('--from', `expected one of ${known.join(', ')}${hint(from, known)}`)
  if (file === undefined) throw new ConfigError('options', 'init --from expects a FILE')
  const text = textFile(world.directory, file)
  if (text === undefined) throw new ConfigError(file, 'no such file')
  const converted = spoken(parsed(read, text, file))
  if (Object.keys(converted.upstreams).length > 0) return converted
  const reasons = converted.left.slice(0, 3).map((line) => `; ${line}`)
  throw new ConfigError(file, `has nothing that can be converted${reasons.join('')}`)
}

function parsed(read: (text: string) => Converted, text: string, file: string): Converted {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof TextFault) throw new ConfigError(`${file}:${error.line}`, error.message)
    throw error
  }
}

/** Comments and trailing commas are read; the rest of JSON5, which claude-code-router takes too, is refused. */
function readJson(text: string): unknown {
  const { value, faults } = parseJsonc(text)
  const [fault] = faults
  if (value === undefined && fault) throw new TextFault(fault.line, fault.expected)
  return value
}

const known = (dialect: unknown): boolean => adapters.some((adapter) => adapter.dialect === dialect)

/** The upstreams whose dialect this proxy speaks. */
function spoken(converted: Converted): Converted {
  const { upstreams, routes, left } = converted
  const others = Object.entries(upstreams).filter(([, { dialect }]) => !known(dialect))
  return {
    ...converted,
    upstreams: Object.fromEntries(
      Object.entries(upstreams).filter(([, { dialect }]) => known(dialect)),
    ),
    routes: others.reduce(
      (kept, [name]) => kept.flatMap((route) => withoutUpstream(route, name)),
      routes,
    ),
    left: [...others.map(([name, { dialect }]) => `${name}: speaks ${wordIn(dialect)}`), ...left],
  }
}

/** Asks at a terminal for what no option says. */
async function fromAnswers(wanted: InitOptions, world: Process): Promise<Converted> {
  const faultOf = (upstream: JsonObject, member: string) =>
    faultsOf(written(oneUpstream(upstream)), world).find(
      ({ place }) => place === `${placeBelow(MAIN)}${member}`,
    )?.expected
  const isAsked = process.stdin.isTTY && process.stderr.isTTY
  const { dialect, url, key } = isAsked ? await askPerson(wanted, faultOf) : wanted
  const lacking = [
    ['--dialect', dialect],
    ['--url', url],
  ].filter(([, value]) => !value)
  if (lacking.length > 0)
    throw new ConfigError(
      'options',
      `init expects ${lacking.map(([name]) => name).join(' and ')} where there is no terminal to ask`,
    )
  const upstream = { dialect: dialect ?? '', url: url ?? '', ...(key && { key }) }
  for (const member of ['dialect', 'url', 'key']) {
    const wrong = faultOf(upstream, member)
    if (wrong !== undefined) throw new ConfigError(`--${member}`, wrong)
  }
  return oneUpstream(upstream)
}

/** The upstream of a service that is known by name, at the address and with the key that options say. */
function cloudUpstream(name: string, { url, key }: InitOptions): JsonObject {
  const upstream = CLOUD_UPSTREAMS.get(name)
  const names = [...CLOUD_UPSTREAMS.keys()]
  if (!upstream)
    throw new ConfigError('--cloud', `expected one of ${names.join(', ')}${hint(name, names)}`)
  return { ...upstream, ...(url && { url }), ...(key && 'key' in upstream && { key }) }
}

const MAIN = 'main'

const oneUpstream = (upstream: JsonObject): Converted => ({
  ...emptyConversion(),
  upstreams: { [MAIN]: upstream },
  routes: [{ model: '*', upstream: MAIN }],
})

/** The file fits on a screen: where there are more upstreams and routes, several share a line. */
const MAX_LINES = 40

function written({ upstreams, routes, callerKeys }: Converted): string {
  const names = Object.keys(upstreams)
  const free = MAX_LINES - 10
  const perUpstream = Math.ceil(names.length / (free / 2))
  const perRoute = Math.ceil(routes.length / (free / 2))
  return [
    '{',
    '  // "dragoman check" says what this means, and what is wrong with it. Every field: docs/configuration.md',
    '  "upstreams": {',
    ...rows(
      names.map((name) => `${JSON.stringify(name)}: ${spaced(upstreams[name] ?? {})}`),
      perUpstream,
    ),
    '  },',
    '  // The first that fits the name of the model is taken; a star stands for anything.',
    '  "routes": [',
    ...rows(routes.map(spaced), perRoute),
    callerKeys.length > 0 ? '  ],' : '  ]',
    ...(callerKeys.length > 0 ? [`  "callers": { "keys": ${JSON.stringify(callerKeys)} }`] : []),
    '}',
    '',
  ].join('\n')
}

function rows(cells: readonly string[], perRow: number): string[] {
  const lines: string[] = []
  for (let at = 0; at < cells.length; at += perRow)
    lines.push(`    ${cells.slice(at, at + perRow).join(', ')}`)
  return lines.map((line, index) => (index < lines.length - 1 ? `${line},` : line))
}

const spaced = (object: JsonObject): string =>
  JSON.stringify(object, null, 1).replaceAll(/\n\s*/g, ' ')

/** Throws for a file that `check` would refuse. A caller's key may be too short: it is left out. */
function valid(text: string, converted: Converted, world: Process): string {
  const faults = faultsOf(text, world)
  const [first] = faults
  if (!first) return text
  if (!withoutKeys(converted, faults) && !without(converted, first))
    throw new ConfigError(first.place, first.expected)
  return valid(written(converted), converted, world)
}

/** What `check` would refuse of a file, but for variables that may be set later. */
function faultsOf(text: string, { environment }: Process): ConfigFault[] {
  const source = textSource(text, FILE)
  const variables = Object.fromEntries(
    [...text.matchAll(/"env:([^"]+)"/g)].map(([, name = '']) => [
      name,
      `value-of-${name}-${'0'.repeat(32)}`,
    ]),
  )
  const platform = { exposed: false }
  const { faults } = examined(source, { ...variables, ...environment }, platform)
  // What a key is made of is not there yet.
  return faults.filter(
    ({ severity, place }) => severity === 'fault' && !/^upstreams\b.*?\.auth\b/.test(place),
  )
}

const placeBelow = (upstream: string): string => `${spellPlace(['upstreams', upstream])}.`

/** Takes out the keys of callers that this proxy refuses, and no other one; false where there is none. */
function withoutKeys(converted: Converted, faults: readonly ConfigFault[]): boolean {
  const refused = faults.filter(({ place }) => place.startsWith('callers.keys'))
  const [first] = refused
  if (!first) return false
  const places = refused.map(({ place }) => place)
  const kept = converted.callerKeys.filter(
    (_, index) => !places.includes(spellPlace(['callers', 'keys', index])),
  )
  const open = kept.length > 0 ? '' : '; without them anybody on this machine may call'
  converted.left.push(`keys of callers (${refused.length}): ${first.expected}${open}`)
  converted.callerKeys = kept
  return true
}

/** Takes out what a file of another proxy has and this one refuses; false where there is nothing to take out. */
function without(converted: Converted, { place, expected }: ConfigFault): boolean {
  const { left, upstreams, routes } = converted
  const name = Object.keys(upstreams).find((each) => place.startsWith(placeBelow(each)))
  if (name === undefined || Object.keys(upstreams).length < 2) return false
  left.push(`${name}: ${place.slice(placeBelow(name).length)}: ${expected}`)
  delete upstreams[name]
  converted.routes = routes.flatMap((route) => withoutUpstream(route, name))
  return true
}

/** A route without one of its upstreams, or no route. */
function withoutUpstream(route: JsonObject, name: string): JsonObject[] {
  const { upstream } = route
  if (!Array.isArray(upstream)) return upstream === name ? [] : [route]
  const others = upstream.filter((each) => (isObject(each) ? each['name'] : each) !== name)
  return others.length > 0 ? [{ ...route, upstream: others }] : []
}

function create(directory: string, name: string, text: string): void {
  try {
    writeFileSync(resolve(directory, name), text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    throw new ConfigError(name, `cannot be written (${errorCode(error)})`)
  }
}

/** Reasons that fit on a screen, and how long the list of places before one may be. */
const SHOWN = 30
const PLACES_WIDTH = 400

/** What was left out for the same reason is one line, so that every reason is told. */
function reasons(left: readonly string[]): string[] {
  const places = new Map<string, Set<string>>()
  for (const line of left) {
    const [, place = line, reason = ''] = /^(.*?(?:"[^"]*")?): (.*)$/s.exec(line) ?? []
    const known = places.get(reason)
    if (known) known.add(place)
    else places.set(reason, new Set([place]))
  }
  return [...places].map(([reason, at]) => `${listed([...at])}: ${reason}`)
}

/** At least the first place, and as many more as the width takes. */
function listed([first = '', ...others]: readonly string[]): string {
  let text = first
  let shown = 0
  for (const place of others) {
    if (text.length + place.length > PLACES_WIDTH) break
    text += `, ${place}`
    shown += 1
  }
  const more = others.length - shown
  return more > 0 ? `${text} and ${more} more` : text
}

function report(
  name: string,
  text: string,
  converted: Converted,
  environment: Environment,
): string {
  const { upstreams, routes } = converted
  const left = reasons(converted.left)
  const variables = [...new Set([...text.matchAll(/"env:([^"]+)"/g)].map(([, each = '']) => each))]
  const urls = Object.values(upstreams).map(({ url }) => wordIn(url))
  const unsaid = urls.flatMap((url) => url.match(/\b(?:RESOURCE|DEPLOYMENT|PROJECT)\b/g) ?? [])
  if (text.includes('"aws": "env"')) variables.push('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY')
  const unset = variables.filter((each) => !environment[each])
  return [
    `wrote ${name}: ${count(Object.keys(upstreams).length, 'upstream')}, ${count(routes.length, 'route')}`,
    ...(left.length > 0 ? ['not converted:'] : []),
    ...left.slice(0, SHOWN).map((line) => `  ${line}`),
    ...(left.length > SHOWN ? [`  and ${left.length - SHOWN} more`] : []),
    ...(unset.length > 0 ? [`set before the start: ${unset.join(', ')}`] : []),
    ...keysInFile(name, converted, environment),
    ...(unsaid.length > 0 ? [`write out in its url: ${unsaid.join(', ')}`] : []),
    'next: dragoman check, dragoman, or dragoman launch claude',
    '',
  ].join('\n')
}

/** A key that was given as it is stands in the file; a variable that holds it already can take its place. */
function keysInFile(name: string, { upstreams }: Converted, environment: Environment): string[] {
  const keys = Object.values(upstreams).flatMap(({ key }) => [key].flat())
  const typed = keys.filter((key) => typeof key === 'string').filter(isTyped)
  if (typed.length === 0) return []
  const variables = typed.map((key) =>
    Object.keys(environment).find((each) => environment[each] === key),
  )
  const instead = [...new Set(variables.map((each) => `"env:${each ?? 'NAME'}"`))].join(', ')
  return [
    `${name} holds ${count(typed.length, 'key')}; ${instead} in the place of one reads it from a variable`,
  ]
}

const count = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? '' : 's'}`
