import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { objectIn, objectsOf, type Json, type JsonObject } from '../../src/json/json.ts'
import { framesIn } from '../line-reader.ts'
import { DIALECTS } from '../sdk/script.ts'
import { proxyOf } from './proxy.ts'

/** A tool of the caller. */
const FUNCTION = { type: 'function', name: 'noted', parameters: { type: 'object' } }

const FOLDER = 'fixtures/golden'
const readCase = (name: string, file: string): JsonObject | undefined => {
  const path = `${FOLDER}/${name}/${file}.json`
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

const cases = DIALECTS.filter((dialect) => dialect !== 'responses').flatMap((dialect) =>
  readdirSync(FOLDER).flatMap((name) => {
    const body = readCase(name, `${dialect}.input.reply`)
    const { tools = [] } = readCase(name, 'responses.input.request') ?? {}
    // A search that the upstream cannot make is refused, unless it is one way among others.
    return body ? [{ dialect, name, body, tools: [...objectsOf(tools), FUNCTION] }] : []
  }),
)

/** What a client puts together of a stream. */
function gathered(text: string): { items: Json[]; response: Json | undefined } {
  const items: Json[] = []
  let response: Json | undefined
  for (const { data } of framesIn(text)) {
    const event: JsonObject = JSON.parse(data)
    if (event['type'] === 'response.output_item.done')
      items[Number(event['output_index'])] = event['item'] ?? null
    response = event['response'] ?? response
  }
  return { items, response }
}

describe('a reply that left as one body is streamed with the same items', () => {
  test.each(cases)('$name, over $dialect', async ({ dialect, body, tools }) => {
    const proxy = proxyOf(() => ({ body }))
    const json = { model: `${dialect}-x`, input: 'x', tools }
    const answer = await proxy.ask('/v1/responses', { json })
    expect(answer.status).toBe(200)
    const told = objectIn((await answer.json()) as Json)
    const again = await proxy.ask(`/v1/responses/${String(told['id'])}?stream=true`)
    const { items, response } = gathered(await again.text())
    expect(response).toEqual(told)
    expect(items).toEqual(told['output'])
  })
})
