import { exports } from 'cloudflare:workers'
import { runtimeSuite } from './suite.ts'

runtimeSuite('workerd', (path, init) =>
  exports.default.fetch(new Request(`http://localhost${path}`, init)),
)
