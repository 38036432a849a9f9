import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { mutate, valueAt, type Path } from '../laws/mutate.ts'

/** What leaves for the upstream, and what is reported: one of them must show every change. */
export interface Outcome {
  text: string
  /** Code and path of each loss. */
  losses: ReadonlySet<string>
}

/** Undefined when the caller is told that the request is wrong. */
export type Translate = (body: Json) => Outcome | undefined

/**
 * A value that is reported as lost is reported whatever it is: without it, or without what it is part of, the
 * report is gone. A report for a whole must name the whole. Where the value alone may not be missing, the
 * object that it is a member of stands for it.
 */
export function isReported(
  translate: Translate,
  body: JsonObject,
  before: Outcome,
  path: Path,
): boolean {
  if (isCollective(before, path) || isNamedOption(before, body, path)) return true
  let whole = path.length
  for (let length = path.length; length > 0; length -= 1) {
    const outer = path.slice(0, length)
    const after = translate(mutate(body, outer, undefined))
    if (!after && length === whole) whole -= 1
    const gone = after ? [...before.losses].filter((loss) => !after.losses.has(loss)) : []
    if (length === whole && gone.length > 0) return true
    if (gone.some((loss) => names(loss, outer, valueAt(body, outer)))) return true
    if (isReportedAlone(translate, body, outer)) return true
  }
  return false
}

/** What the canonical model calls something that dialects call otherwise. */
const ALIASES = new Map([
  ['cachecontrol', 'cache'],
  ['promptcachebreakpoint', 'cache'],
  ['thinking', 'reasoning'],
  ['thinkingconfig', 'reasoning'],
  ['annotations', 'citations'],
  ['inputschema', 'parameters'],
  ['stopsequences', 'stop'],
  ['maxtokens', 'maxoutputtokens'],
  ['userlocation', 'location'],
  ['domains', 'alloweddomains'],
  ['websearchpreview', 'websearch'],
  ['websearchoptions', 'websearch'],
  ['responseformat', 'format'],
  ['toplogprobs', 'logprobs'],
  ['metadata', 'labels'],
  ['reasoningeffort', 'effort'],
])
export const plainName = (name: string): string => {
  const plain = name.replaceAll(/[_-]/g, '').toLowerCase()
  return ALIASES.get(plain) ?? plain
}

/** Some things are reported once, however many of them there are. */
const COLLECTIVE = ['cache']

function isCollective(before: Outcome, path: Path): boolean {
  const own = new Set(path.map((key) => plainName(String(key))))
  return COLLECTIVE.some((name) => own.has(name) && before.losses.has(`dropped ${name}`))
}

/** An option of the request itself, or of a group of options, is known by its name; so is one of a named tool. */
function isNamedOption(before: Outcome, body: JsonObject, path: Path): boolean {
  const losses = [...before.losses].map((loss) => segmentsOf(loss))
  const keys = path.slice(0, 2).filter((key) => typeof key === 'string')
  if (keys.length === Math.min(path.length, 2)) {
    const plain = new Set(keys.map(plainName))
    if (losses.some((names) => names.length <= 2 && plain.has(names.at(-1) ?? ''))) return true
  }
  if (
    plainName(String(path[0])).startsWith('tool') &&
    path[0] !== 'tools' &&
    isToolless(before, body)
  )
    return true
  return path.some((_, index) => isOfNamed(losses, body, path.slice(0, index + 1)))
}

/** A member of something that has a name, which the report says. */
function isOfNamed(losses: readonly string[][], body: JsonObject, path: Path): boolean {
  const owner = valueAt(body, path.slice(0, -1))
  const leaf = plainName(String(path.at(-1)))
  const own = isObject(owner) ? OWN_NAMES.map((name) => owner[name]) : []
  const known = new Set(own.filter((name) => typeof name === 'string').map(plainName))
  return losses.some((names) => known.has(names.at(-2) ?? '') && names.at(-1) === leaf)
}

/** Where every tool is reported as lost, so is the choice among them. */
function isToolless(before: Outcome, body: JsonObject): boolean {
  const tools = body['tools']
  const lost = [...before.losses].filter((loss) => /^dropped tools\.[^.]+$/.test(loss))
  return Array.isArray(tools) && lost.length >= tools.length
}

const segmentsOf = (loss: string): string[] => (loss.split(' ')[1] ?? '').split('.').map(plainName)

/** Whether a report names a value: by its place in a list, its key, or its own type or name. */
function names(loss: string, path: Path, value: Json | undefined): boolean {
  const segments = segmentsOf(loss)
  const key = path.at(-1)
  const last = segments.at(-1) ?? ''
  const known = isObject(value) ? OWN_NAMES.map((name) => value[name]) : []
  if (known.some((name) => typeof name === 'string' && plainName(name) === last)) return true
  if (typeof key === 'number' && WHOLE_BLOCK.test(loss)) return isAlike(loss, path, value)
  if (typeof key === 'number') return NAMED_BLOCK.test(loss) && tellsItself(value, last)
  const name = plainName(String(key))
  return name === last || (isObject(value) && name === segments[0])
}

/** Several elements may become one block, with one report for all: each of them alone is reported too. */
function isReportedAlone(translate: Translate, body: JsonObject, path: Path): boolean {
  const value = valueAt(body, path)
  if (typeof path.at(-1) !== 'number' || value === undefined || isGroup(value)) return false
  const alone = translate(mutate(body, path.slice(0, -1), [value]))
  const none = translate(mutate(body, path.slice(0, -1), []))
  const losses = [...(alone?.losses ?? [])].filter((loss) => !none?.losses.has(loss))
  return losses.some((loss) => WHOLE_BLOCK.test(loss))
}

/** A block that has no type is known by the member that tells what it is. */
const NAMED_BLOCK = /^dropped turns\.\d+\.blocks\.\d+\.[A-Za-z]+$/
const tellsItself = (value: Json | undefined, last: string): boolean =>
  isObject(value) &&
  Object.keys(value).some((name) => isObject(value[name]) && plainName(name) === last)
const WHOLE_BLOCK = /\.\d+(?:\.(?:seal|block))?$/
const HISTORIES = ['content', 'parts']
/** A message: an object with a list of what it says. */
const isGroup = (value: Json | undefined): boolean =>
  isObject(value) &&
  typeof value['role'] === 'string' &&
  HISTORIES.some((key) => Array.isArray(value[key]))

/** The report for a whole turn is none for one of its blocks, nor the other way round. */
function isAlike(loss: string, path: Path, value: Json | undefined): boolean {
  const depth = path.filter((key) => typeof key === 'number').length
  return !isGroup(value) || (loss.match(/\.\d+/g) ?? []).length === depth
}

const OWN_NAMES = ['type', 'name', 'server_label']
