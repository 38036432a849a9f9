import { DIALECTS } from '../../adapters/dialect.ts'

/** How a message lists the dialects. */
export const ONE_DIALECT = `one of ${DIALECTS.map((dialect) => `"${dialect}"`).join(', ')}`
