import { DIALECTS } from '../../adapters/dialect.ts'
import { officials } from '../dialects/official/index.ts'
import { aiDriver } from './driver-ai.ts'
import type { Driver } from './driver.ts'

export const DRIVERS: readonly Driver[] = [
  ...DIALECTS.map((dialect) => officials[dialect].driver),
  ...DIALECTS.map((dialect) => aiDriver(dialect, officials[dialect].provider)),
]
