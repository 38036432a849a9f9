import type { Findings } from './finding.ts'
import type { Environment, Platform } from './values.ts'

/** All of a configuration that one looks at: what was read, the variables that it names, where it is to run. */
export interface Examination {
  config: unknown
  environment: Environment
  platform: Required<Platform>
  found: Findings
}
