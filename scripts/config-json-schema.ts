import * as z from 'zod/mini'
import { configSchema } from '../src/config/schema.ts'
import { described, findWord } from './config-words.ts'

type Schema = z.core.JSONSchema.BaseSchema

/** The schema of the configuration for editors, which complete and explain by it. */
export const configJsonSchema = (): Schema => ({
  title: 'Configuration of dragoman',
  ...explained(z.toJSONSchema(configSchema), ''),
})

/** The same schema with words for every place in it that has some. */
function explained(schema: Schema, place: string): Schema {
  const { properties = {}, additionalProperties, items, anyOf } = schema
  const word = findWord(place)
  const within = (inner: unknown, name: string) =>
    explained(inner as Schema, place === '' ? name : `${place}.${name}`)
  const named = Object.entries(properties).map(([name, inner]) => [name, within(inner, name)])
  return {
    ...(word && { description: described(word) }),
    ...schema,
    ...(word?.example !== undefined && { examples: [word.example] }),
    ...(named.length > 0 && { properties: Object.fromEntries(named) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: within(additionalProperties, '*'),
    }),
    ...(typeof items === 'object' && { items: within(items, '*') }),
    // Members of a branch belong to the place itself, of which all is said already.
    ...(anyOf && {
      anyOf: anyOf.map((branch) => {
        const { description: _, examples: __, ...rest } = explained(branch as Schema, place)
        return rest
      }),
    }),
  }
}
