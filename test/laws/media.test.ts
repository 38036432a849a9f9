import { expect, it } from 'vitest'
import { emptyRequest } from '../../src/rules/empty-request.ts'
import { kitOf } from '../dialects/index.ts'
import { readBody } from './exchange.ts'
import { forEachAdapter } from './law.ts'

forEachAdapter((adapter) => {
  const kindsOf = (data: string) => {
    const body = kitOf(adapter.dialect).say.picture(data)
    return readBody(adapter, emptyRequest('', true), body).reply.blocks.map(({ kind }) => kind)
  }

  it('takes a picture for one only as far as it can be decoded', () => {
    for (const data of ['aGFsbG8=', 'aGE=', 'AAAA']) expect(kindsOf(data)).toEqual(['media'])
    // Nothing, cut, left out in the middle, in words, with an end in the middle.
    for (const data of ['', 'AAA', 'AAAA...A', 'see the attachment.', 'AA==AAAA'])
      expect(kindsOf(data)).toEqual(['opaque'])
  })
})
