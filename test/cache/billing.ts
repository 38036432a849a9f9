import type { Dialect } from '../../adapters/dialect.ts'
import { isObject, listOf, objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'
import { fingerprint } from '../../src/model/proof.ts'
import { kits } from '../dialects/index.ts'

/** What one request cost: tokens of the prompt that were read from a cache, written to it, or neither. */
export interface Bill {
  read: number
  write: number
  plain: number
}

/** A service that caches and bills as its documentation says (autumn 2026). */
export type Service = (body: JsonObject) => Bill

const CHARACTERS_PER_TOKEN = 4
const LEAST_TOKENS = 1024

interface Piece {
  text: string
  isMarked: boolean
  /** Pieces of one run count as one place on the way back from a mark. */
  run: string
}

const toPiece = (value: Json, run = ''): Piece => {
  if (!isObject(value)) return { text: JSON.stringify(value), isMarked: false, run }
  const { cache_control: mark, ...rest } = value
  return { text: JSON.stringify(rest), isMarked: isObject(mark), run }
}

interface Ends {
  sums: string[]
  tokens: number[]
}

function countEnds(texts: readonly string[]): Ends {
  let sum = ''
  let characters = 0
  const sums: string[] = []
  const tokens: number[] = []
  for (const text of texts) {
    sum = fingerprint(`${sum}\0${text}`)
    characters += text.length
    sums.push(sum)
    tokens.push(Math.ceil(characters / CHARACTERS_PER_TOKEN))
  }
  return { sums, tokens }
}

const MOST_MARKS = 4
const LOOK_BACK = 20
const RUNS = new Set<Json | undefined>(['tool_use', 'tool_result'])

/** Caches up to marks, and looks for what it has within 20 places before each of them. */
function messages(): Service {
  const known = new Set<string>()
  return (body) => {
    const pieces = [
      ...objectsOf(body['tools']).map((tool) => toPiece(tool)),
      ...listOf(body['system']).map((block) => toPiece(block)),
      ...objectsOf(body['messages']).flatMap(({ role, content }, at) =>
        (typeof content === 'string' ? [content] : listOf(content)).map((block) => {
          const type = isObject(block) ? block['type'] : undefined
          const run = RUNS.has(type) ? `${at} ${String(type)}` : ''
          const piece = toPiece(block, run)
          return { ...piece, text: `${String(role)} ${piece.text}` }
        }),
      ),
    ]
    const marked = pieces.flatMap(({ isMarked }, at) => (isMarked ? [at] : []))
    if (marked.length > MOST_MARKS) throw new Error(`${marked.length} marks`)
    const { sums, tokens } = countEnds(pieces.map(({ text }) => text))
    const read = Math.max(0, ...marked.map((at) => tokens[foundFrom(at, pieces, sums, known)] ?? 0))
    const kept = marked.filter((at) => (tokens[at] ?? 0) >= LEAST_TOKENS)
    for (const at of kept) known.add(sums[at] ?? '')
    const reach = Math.max(read, ...kept.map((at) => tokens[at] ?? 0))
    return { read, write: reach - read, plain: (tokens.at(-1) ?? 0) - reach }
  }
}

function foundFrom(
  mark: number,
  pieces: readonly Piece[],
  sums: readonly string[],
  known: ReadonlySet<string>,
): number {
  let places = 0
  for (let at = mark; at >= 0 && places < LOOK_BACK; at -= 1) {
    if (known.has(sums[at] ?? '')) return at
    const { run = '' } = pieces[at] ?? {}
    if (run === '' || run !== pieces[at - 1]?.run) places += 1
  }
  return -1
}

const STEP_TOKENS = 128
const MACHINES = 16

/** Caches by itself, on the machine that the key, or else the beginning of the prompt, leads to. */
function automatic(textsOf: (body: JsonObject) => string[]): Service {
  const machines = new Map<number, string[]>()
  return (body) => {
    const prompt = textsOf(body).join('\n')
    const key = body['prompt_cache_key']
    const leading = typeof key === 'string' ? key : prompt.slice(0, LEAST_TOKENS)
    const machine = Number.parseInt(fingerprint(leading).slice(0, 6), 36) % MACHINES
    const before = machines.get(machine) ?? []
    machines.set(machine, [...before, prompt])
    const shared = Math.max(0, ...before.map((earlier) => sharedLength(earlier, prompt)))
    const tokens = Math.floor(shared / CHARACTERS_PER_TOKEN / STEP_TOKENS) * STEP_TOKENS
    const read = tokens >= LEAST_TOKENS ? tokens : 0
    return { read, write: 0, plain: Math.ceil(prompt.length / CHARACTERS_PER_TOKEN) - read }
  }
}

function sharedLength(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

const inOrder =
  (...members: readonly string[]) =>
  (body: JsonObject): string[] =>
    members.flatMap((name) => listOf(body[name] ?? null).concat(isList(body[name]))).map(textOf)

const isList = (value: Json | undefined): Json[] =>
  value === undefined || Array.isArray(value) ? [] : [value]
const textOf = (value: Json): string => JSON.stringify(value)

/** The service of a dialect, which has cached nothing yet. */
export function serviceOf(dialect: Dialect): Service {
  const { members, marked } = kits[dialect].cached
  return marked ? messages() : automatic(inOrder(...members))
}

const READ_PRICE = 0.1
const WRITE_PRICE = 1.25

export interface Account {
  /** Of the prompts from the second turn on, what was read from the cache. */
  share: number
  /** In prices of a token of the prompt. */
  cost: number
}

export function accountOf(bills: readonly Bill[]): Account {
  const sum = (list: readonly Bill[], of: (bill: Bill) => number): number =>
    list.reduce((total, bill) => total + of(bill), 0)
  const later = bills.slice(1)
  return {
    share:
      sum(later, ({ read }) => read) / sum(later, ({ read, write, plain }) => read + write + plain),
    cost: sum(bills, ({ read, write, plain }) => read * READ_PRICE + write * WRITE_PRICE + plain),
  }
}
