import { expect, it } from 'vitest'
import { isObject, type Json } from '../../src/json/json.ts'
import { anyRequest } from './arbitrary-requests.ts'
import { readRequest, spellingOf, spokenBy, spokenOnce, writeRequest } from './exchange.ts'
import { always, forEachAdapter } from './law.ts'

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(frozen)
  }
  return value
}

forEachAdapter((adapter) => {
  it('writes a request of its own dialect without a loss, to be read as the same again', () => {
    always(anyRequest, (any) => {
      const request = spokenOnce(adapter, any)
      const first = writeRequest(adapter, request)
      expect(first.losses).toEqual([])
      const again = spokenBy(adapter, request, spellingOf(any))
      expect(again).toEqual(request)
      expect(writeRequest(adapter, again).text).toBe(first.text)
    })
  })

  it('changes no request that it reads or writes', () => {
    always(
      anyRequest,
      (request) => {
        const { body } = writeRequest(adapter, frozen(request))
        const json: Json = frozen(JSON.parse(JSON.stringify(body)))
        expect(isObject(json)).toBe(true)
        readRequest(adapter, JSON.stringify(json))
      },
      300,
    )
  })
})
