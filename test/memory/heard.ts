import type { Dialect } from '../../adapters/dialect.ts'
import { kits } from '../dialects/index.ts'
import type { Heard } from '../sdk/script.ts'

/** What an upstream of a dialect understands, read as strictly as the real one reads. */
export const hear = (dialect: Dialect, body: unknown): Heard => kits[dialect].scripted.hear(body)
