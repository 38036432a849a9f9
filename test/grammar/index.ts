import { kitOf } from '../dialects/index.ts'
import type { Grammar } from './grammar.ts'

export const grammarOf = (dialect: string): Grammar => kitOf(dialect).grammar
