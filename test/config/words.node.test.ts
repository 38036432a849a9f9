import { expect, it } from 'vitest'
import { configJsonSchema, WORDS } from '../../scripts/config-words.ts'

interface Schema {
  description?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
}

/** The members of a schema, from the outside in, and what is said of each. */
function membersIn(schema: Schema, place = ''): [string, string | undefined][] {
  const { properties = {}, additionalProperties, items } = schema
  const inside = [additionalProperties, items].flatMap((inner) =>
    typeof inner === 'object' ? membersIn(inner, `${place}*.`) : [],
  )
  const named = Object.entries(properties).flatMap(([name, inner]) => [
    [place + name, inner.description] as [string, string | undefined],
    ...membersIn(inner, `${place}${name}.`),
  ])
  return [...named, ...inside]
}

/** Of limits all is said where they are together, of a task service by its name. */
const PLAIN = /^limits\.\w+$|^tasks\.(?:image|music)$/

const members = membersIn(configJsonSchema() as Schema)

it('says what every member of a configuration means', () => {
  const unsaid = members.filter(([, words]) => words === undefined).map(([place]) => place)
  expect(unsaid.filter((place) => !PLAIN.test(place))).toEqual([])
  const said = new Set(members.map(([, words]) => words))
  expect(Object.values(WORDS).filter((words) => !said.has(words))).toEqual([])
})
