import type { Findings } from './finding.ts'
import type { Environment, Platform } from '../values.ts'

/** What checks look at: the document, the environment variables, and the platform. */
export interface Examination {
  config: unknown
  environment: Environment
  platform: Required<Platform>
  found: Findings
}
