import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/json.ts'
import { emptyRequest } from '../../src/model/empty-request.ts'
import { readBody } from './exchange.ts'
import { forEachAdapter } from './law.ts'

/** A reply that consists of a picture. */
const pictured: Record<string, (data: string) => JsonObject> = {
  messages: (data) => ({
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
    stop_reason: 'end_turn',
  }),
  'generate-content': (data) => ({
    candidates: [
      {
        content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] },
        finishReason: 'STOP',
      },
    ],
  }),
  responses: (data) => ({
    status: 'completed',
    output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: data }],
  }),
}

forEachAdapter((adapter) => {
  const kindsOf = (data: string) => {
    const body = pictured[adapter.dialect]?.(data) ?? {}
    return readBody(adapter, emptyRequest('', true), body).reply.blocks.map(({ kind }) => kind)
  }

  it('takes a picture for one only as far as it can be decoded', () => {
    for (const data of ['aGFsbG8=', 'aGE=', 'AAAA']) expect(kindsOf(data)).toEqual(['media'])
    // Nothing, cut, left out in the middle, in words, with an end in the middle.
    for (const data of ['', 'AAA', 'AAAA...A', 'see the attachment.', 'AA==AAAA'])
      expect(kindsOf(data)).toEqual(['opaque'])
  })
})
