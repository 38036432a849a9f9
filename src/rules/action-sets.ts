import { stringify, type Json, type JsonObject } from '../json/json.ts'

/** A function of a set, and its schema. */
export interface Action {
  name: string
  schema: string
}

const STRING = { type: 'string' }

/**
 * Reads a short list of functions: the names of the arguments that each one needs, and behind a bar those that it may
 * have. They are texts, but for those in `parameters`.
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

/** The description of a function of a set. */
export const describeAction = (place: string, name: string): string =>
  `Acts on the ${place}: ${name.replaceAll('_', ' ')}.`
