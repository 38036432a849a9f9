import type { Process } from '../../src/node/process/process.ts'

/** A process without a configuration, of which nobody reads what it says. */
export const QUIET: Process = {
  environment: {},
  directory: '/nonexistent',
  write: () => undefined,
  say: () => undefined,
  complain: () => undefined,
  logStyle: 'json',
}
