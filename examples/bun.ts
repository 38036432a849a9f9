/** On Bun: `bun examples/bun.ts`. */
import { createApp } from 'dragoman'
import { config } from './config.ts'

export default { port: 3000, fetch: createApp(config).fetch } satisfies Parameters<
  typeof Bun.serve
>[0]
