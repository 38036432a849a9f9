import { afterAll, beforeAll } from 'vitest'
import { type Proxy, serve } from '../../src/node/command/commands.ts'
import { QUIET } from '../node/quiet.ts'
import { runtimeSuite } from './suite.ts'

let proxy: Proxy | undefined

beforeAll(async () => {
  proxy = await serve({ command: 'serve', host: '127.0.0.1', port: 0 }, QUIET)
})
afterAll(() => proxy?.stop())

runtimeSuite('Node', (path, init) => fetch(proxy?.url + path, init))
