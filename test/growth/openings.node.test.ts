import { expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { createHandler } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { randomId } from '../../src/ports.ts'
import { kits } from '../dialects/index.ts'
import { DIALECTS } from './law.ts'
import { measureGrowth, MOST } from './cpu.ts'

/** The opening of a stream that passes is held back up to 16 KiB, and may come in pieces of a byte. */

const SIZE = 7500

/** Yields a text byte by byte. */
function inBytes(text: string) {
  let at = 0
  return {
    read: async () =>
      at < text.length ? Uint8Array.of(text.charCodeAt((at += 1) - 1)) : undefined,
    cancel() {},
  }
}

const OPENINGS: readonly (readonly [string, (size: number) => string])[] = [
  ['one long event', (size) => `data: {"id":"${'x'.repeat(size)}`],
  ['comments', (size) => ':\n\n'.repeat(size / 3)],
  ['blank space', (size) => ' '.repeat(size)],
  ['JSON', (size) => `{"id":"${'x'.repeat(size)}`],
]

for (const dialect of DIALECTS)
  it.each(OPENINGS)(`of ${dialect} costs in proportion to its size: %s`, async (_, opening) => {
    const { ask, http } = kits[dialect]
    let said = ''
    const upstreams = { up: { dialect, url: 'http://up.test' } }
    const config = { upstreams, routes: [{ model: '*', upstream: 'up' }], state: { store: 'off' } }
    const answer = createHandler(readSettings(config as never, {}), {
      send: async () => ({
        status: 200,
        headers: new Headers({ 'content-type': 'text/event-stream' }),
        body: inBytes(said),
      }),
      now: Date.now,
      randomId,
      log: () => undefined,
    })
    const body = { ...ask.needed, ...ask.text('Hi'), ...http.body('m', true, {}) }
    const growth = await measureGrowth((size) => {
      said = opening(size)
      const request = new Request(`http://127.0.0.1${http.path('m', true)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify(body),
      })
      return async () => toResponse(await answer(request)).text()
    }, SIZE)
    expect(growth).toBeLessThan(MOST)
  })
