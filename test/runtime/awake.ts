import { env } from 'cloudflare:workers'
import type { StateBindings } from '../../src/workers/store.ts'

/**
 * Before every file on workerd. An object that is called for the first time imports the whole Worker, which on a busy
 * machine takes longer than a store waits for an answer.
 */

const bindings: StateBindings = env
const id = bindings.STATE?.idFromName('awake')
await bindings.STATE?.get(id).fetch('https://state/awake')
