import type { Adapter } from '../../adapters/contract.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import { dialects } from '../../adapters/index.ts'

export function adapterOf(dialect: Dialect): Adapter {
  const adapter = dialects.of(dialect)
  if (!adapter) throw new Error(`no adapter for ${dialect}`)
  return adapter
}
