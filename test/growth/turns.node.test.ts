import { describe, expect, it, vi } from 'vitest'
import type { Dialect } from '../../adapters/dialect.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { kits } from '../dialects/index.ts'
import { plainReply } from './fixtures.ts'
import { DIALECTS, proportional } from './law.ts'
import { answerWith, exchange } from './proxy.ts'

/** What looks for secrets in every app of a test reads each body as a text, and would be measured. */
vi.unmock('../../src/http/router.ts')
vi.unmock('../../src/http/respond.ts')

/** What another dialect may have to join in one message. */
const SAID = {
  messages: (text: string) => ({ role: 'assistant', content: text }),
  'generate-content': (text: string) => ({ role: 'model', parts: [{ text }] }),
  responses: (text: string) => ({ role: 'assistant', content: text }),
  'chat-completions': (text: string) => ({ role: 'assistant', content: text }),
} as const

/** A conversation in which the model has said so many things in a row. */
function bodyWith(caller: Dialect, model: string, size: number): JsonObject {
  const { http, ask } = kits[caller]
  const body = { ...ask.needed, ...ask.text('Hello'), ...http.body(model, false, {}) }
  const asked = body[ask.history]
  const said = Array.from({ length: size }, (_, index) => SAID[caller](`word ${index}`))
  return { ...body, [ask.history]: [...(Array.isArray(asked) ? asked : []), ...said] }
}

describe.each(DIALECTS)('what a model said in a row, in %s', (caller) => {
  it.each(DIALECTS)('costs in proportion to how much it is, for %s', async (upstream) => {
    answerWith(plainReply(upstream))
    const model = `${upstream}-x`
    const prepare = (size: number) =>
      exchange(caller, model, JSON.stringify(bodyWith(caller, model, size)))
    await proportional([{ name: 'messages of the model', prepare }], 8000)
    // More than a call of a function has room for arguments.
    expect(await prepare(150_000)()).toMatchObject({ status: 200 })
  })
})
