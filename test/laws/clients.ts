import type { Client } from '../dialects/client.ts'
import { kitOf } from '../dialects/index.ts'

export const clientOf = (dialect: string): Client => kitOf(dialect).client
