import { readFileSync } from 'node:fs'
import type { Dialect } from '../../adapters/dialect.ts'
import { packageFolder } from '../../scripts/words/census.ts'
import {
  declarationsIn,
  resolveName,
  type Declarations,
  type Type,
} from '../../scripts/words/declarations.ts'
import { Samples } from '../../scripts/words/samples.ts'
import { REQUESTS, type Wire } from '../../scripts/words/wires.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'

const named = (name: string): Type => ({ kind: 'named', name, scope: '' })
const listOf = (name: string): Type => ({ kind: 'list', of: named(name) })

/** The body of a request where the client's options stand at other places than on the wire. */
const PLACED: Readonly<Record<string, Type>> = {
  contents: listOf('Content'),
  systemInstruction: named('Content'),
  tools: listOf('Tool'),
  toolConfig: named('ToolConfig'),
  safetySettings: listOf('SafetySetting'),
  labels: { kind: 'object', members: [] },
  serviceTier: named('ServiceTier'),
  store: { kind: 'value', name: 'boolean' },
  generationConfig: {
    kind: 'both',
    of: [named('GenerationConfig'), named('GenerateContentConfig')],
  },
}

const ROOTS: Readonly<Record<Dialect, Type>> = {
  messages: named('BetaMessageCreateParamsBase'),
  'generate-content': {
    kind: 'object',
    members: Object.entries(PLACED).map(([name, type]) => ({ name, optional: true, type })),
  },
  responses: named('ResponseCreateParamsBase'),
  'chat-completions': named('ChatCompletionCreateParamsBase'),
}

/** What a request says that the types of the official client do not allow. */
export function undeclaredIn(dialect: Dialect): (body: Json) => string[] {
  const check = new Declared(REQUESTS[dialect])
  return (body) => check.faults(ROOTS[dialect], body, '')
}

class Declared {
  readonly #found: Declarations
  readonly #samples: Samples

  constructor({ package: name, files, omit = [] }: Wire) {
    const folder = packageFolder(name)
    this.#found = declarationsIn(files.map((file) => readFileSync(new URL(file, folder), 'utf8')))
    const [values, least] = [new Map(), new Map()]
    this.#samples = new Samples(this.#found, {
      omit: new Set(omit),
      echo: new Set(),
      values,
      least,
    })
  }

  faults(type: Type, value: Json, place: string): string[] {
    const unless = (fits: boolean) => (fits ? [] : [`${place} is ${JSON.stringify(value)}`])
    switch (type.kind) {
      case 'word':
        return unless(value === type.value)
      case 'value':
        return unless(isOf(type.name, value))
      case 'list':
        if (!Array.isArray(value)) return unless(false)
        return value.flatMap((each) => this.faults(type.of, each, `${place}[]`))
      case 'either':
        return this.#nearest(type.of, value, place)
      case 'named': {
        const name = resolveName(this.#found, type.name, type.scope)
        const target = name === undefined ? undefined : this.#found.get(name)
        return target ? this.faults(target, value, place) : []
      }
      default:
        if (type.kind === 'both' && type.of.some(({ kind }) => kind === 'value'))
          return unless(typeof value === 'string')
        return isObject(value) ? this.#members(type, value, place) : unless(false)
    }
  }

  /** Of the alternatives the one that comes nearest; one with another type of its own is no alternative. */
  #nearest(types: readonly Type[], value: Json, place: string): string[] {
    const all = types.map((one) => this.faults(one, value, place))
    const isOther = (faults: string[]) =>
      faults.some((fault) => /^ is|^\.(?:type|role|object) /.test(fault.slice(place.length)))
    const near = all.filter((faults) => !isOther(faults))
    const [best] = near.toSorted((one, other) => one.length - other.length)
    return best ?? [`${place} is ${JSON.stringify(value)}`]
  }

  #members(type: Type, value: JsonObject, place: string): string[] {
    const members = this.#samples.membersOf(type)
    // Any member may come, or a schema that says which.
    if (members.length === 0 || members.some(({ name }) => name === 'properties')) return []
    const known = new Map(members.map((member) => [member.name, member]))
    const missing = members.filter(
      ({ name, optional }) => !optional && value[name] === undefined && !name.startsWith('_'),
    )
    return [
      ...missing.map(({ name }) => `${place}.${name} is missing`),
      ...Object.entries(value).flatMap(([name, inner]) => {
        const member = known.get(name)
        return member
          ? this.faults(member.type, inner, `${place}.${name}`)
          : [`${place}.${name} is unknown`]
      }),
    ]
  }
}

const isOf = (name: string, value: Json): boolean =>
  ['string', 'number', 'boolean'].includes(name)
    ? typeof value === name
    : name === 'null'
      ? value === null
      : name !== 'undefined' && name !== 'never'
