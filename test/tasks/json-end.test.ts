import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonEnd } from '../../src/extras/tasks/json-end.ts'
import { cases } from '../cases.ts'
import { bytes, post, reply, streamOf, taskBench } from '../tasks/bench.ts'

const isMissing = (pieces: Uint8Array[]): boolean => {
  const end = new JsonEnd()
  for (const piece of pieces) end.push(piece)
  return end.isMissing
}

function cutPieces(whole: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size))
  return pieces
}

describe('the end of JSON', () => {
  const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
  const size = fc.integer({ min: 1, max: 9 })

  it('is there when all of it is, and not before, in any pieces', () => {
    fc.assert(
      fc.property(
        value,
        size,
        fc.nat(),
        fc.constantFrom('', '\ufeff', ' \r\n'),
        (json, most, cut, before) => {
          const whole = bytes(`${before}${JSON.stringify(json, null, cut % 3)}`)
          expect(isMissing(cutPieces(whole, most))).toBe(false)
          expect(isMissing([...cutPieces(whole, most), bytes('\n')])).toBe(false)
          const start = bytes(before).length + 1
          const end = start + (cut % (whole.length - start))
          expect(isMissing(cutPieces(whole.subarray(0, end), most))).toBe(true)
        },
      ),
      cases(1000),
    )
  })

  it.each(['OK', '12', '-1.5e3'])('cannot be seen of %j', (text) => {
    expect(isMissing([bytes(text)])).toBe(false)
  })

  it.each(['"half"', '"a\\"b"', '""', 'true', 'false', 'null'])('is that of %s', (text) => {
    for (let size = 1; size <= text.length; size += 1)
      for (let cut = 0; cut <= text.length; cut += 1)
        expect(isMissing(cutPieces(bytes(text.slice(0, cut)), size))).toBe(cut < text.length)
  })
})

describe('an answer of a task service without a length', () => {
  const json = { 'content-type': 'application/json; charset=utf-8' }
  const asked = (text: string, headers: Record<string, string> = json, status = 200) =>
    taskBench({
      send: async () => reply(streamOf(cutPieces(bytes(text), 50_000)), status, headers),
    }).call('/img/submit/imagine', post('{}'))
  const short = '{"code":1,"result":"[}"}'
  const long = JSON.stringify({ image: 'A\\"'.repeat(60_000), more: [] })

  it('is told when it is whole', async () => {
    expect(await (await asked(short)).text()).toBe(short)
    expect(await (await asked(long)).text()).toBe(long)
  })

  it('is a failure when it was cut', async () => {
    const response = await asked(short.slice(0, -1))
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ code: expect.any(Number), result: null })
  })

  it('breaks off when it was cut far behind its beginning', async () => {
    await expect((await asked(long.slice(0, -2))).text()).rejects.toThrow()
  })

  it.each(['', '\n', '"half', 'tru'])('is a failure where only %j of it came', async (text) => {
    expect((await asked(text)).status).toBe(502)
  })

  it.each(['text/json', 'text/plain', 'application/octet-stream', ''])(
    'is JSON by how it begins, under the type %j',
    async (type) => {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      for (const text of [short, `[${short}]`, `\ufeff { ${short.slice(1)}`]) {
        expect((await asked(text, headers)).status).toBe(200)
        expect((await asked(text.slice(0, -1), headers)).status).toBe(502)
      }
      await expect((await asked(long.slice(0, -2), headers)).text()).rejects.toThrow()
    },
  )

  it('is told as it came where it says of a failure, or is no JSON', async () => {
    expect(await (await asked('{"code":', json, 500)).text()).toBe('{"code":')
    for (const text of ['{\\rtf1', '[INFO] {', 'half', ''])
      expect(await (await asked(text, { 'content-type': 'text/plain' })).text()).toBe(text)
  })
})
