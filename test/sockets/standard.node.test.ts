import { afterAll, beforeAll } from 'vitest'
import { CALLER_KEY } from './proxy.ts'
import { serve, type Served } from './server.ts'
import { standardSuite } from './standard.ts'

let served: Served
beforeAll(async () => {
  served = await serve()
})
afterAll(() => served.server.stop(0))

standardSuite('Node', () => ({
  connect: () => served.connect(),
  post: (path, body) =>
    fetch(`http://127.0.0.1:${served.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${CALLER_KEY}` },
      body: JSON.stringify(body),
    }),
}))
