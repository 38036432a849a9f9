import { CALLER_KEY, stageOf } from './proxy.ts'
import { standardSuite } from './standard.ts'

const stage = stageOf()

standardSuite('no platform', () => ({
  connect: () => stage.connect({ authorization: `Bearer ${CALLER_KEY}` }),
  post: (path, body) => stage.post(body, path),
}))
