/** On Bun: `bun examples/bun.ts`. */
import { createApp } from 'dragoman'
import { config } from './config.ts'

export default {
  port: 3000,
  // Bun ends a stream that is silent for 10 s, unless it is told otherwise; a model may think longer.
  idleTimeout: 255,
  fetch: createApp(config).fetch,
} satisfies Parameters<typeof Bun.serve>[0]
