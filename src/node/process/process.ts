import type { Environment } from '../../config/config.ts'

/** What a command reads from and writes to. */
export interface Process {
  environment: Environment
  directory: string
  /** Writes output, or lines of the log. */
  write(text: string): void
  /** Writes lines for the person at the terminal. */
  say(text: string): void
  /** Writes a warning of one line. */
  complain(line: string): void
  logStyle: 'json' | 'plain' | 'colour'
  /** Replaces the last line at the terminal, where there is one. */
  replaceLine?: ((text: string) => void) | undefined
}
