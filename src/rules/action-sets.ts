import { stringify, type Json, type JsonObject } from '../json/json.ts'

/** A function of a set, and its schema. */
export interface Action {
  name: string
  schema: string
}

const STRING = { type: 'string' }

/**
 * Reads a list of functions in short: each with what it needs, and behind a bar what it may have. `parameters`: what
 * is no text.
 */
export const readActions = (list: string, parameters: JsonObject): Action[] =>
  list.split(/,\s+/).map((one) => {
    const [name = ''] = one.split(/ /, 1)
    const [required = [], optional = []] = one
      .slice(name.length)
      .split('|')
      .map((some) => some.split(' ').filter(Boolean))
    const properties = [...required, ...optional].map((key): [string, Json] => [
      key,
      parameters[key] ?? STRING,
    ])
    const schema = { type: 'object', properties: Object.fromEntries(properties), required }
    return { name, schema: stringify(schema) }
  })

/** What a function of a set is told to be for. */
export const describeAction = (place: string, name: string): string =>
  `Acts on the ${place}: ${name.replaceAll('_', ' ')}.`
