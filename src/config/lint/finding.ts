import { type DocumentPath, spellPlace } from './place.ts'
import type { Position } from '../jsonc.ts'

/** A fault or a warning at one place of a configuration. It quotes no value, because any value may be a secret. */
export interface Finding {
  path: DocumentPath
  text: string
  /** Set for a warning: the value is legal, but probably a mistake. */
  warns?: boolean
  /** Set where the finding is about the member's name and not its value. */
  named?: boolean
  /** The place of the member that was probably meant. */
  instead?: string
}

/** A finding with its position: in a file, in a variable, or in a program's object. */
export interface ConfigFault extends Partial<Position> {
  severity: 'fault' | 'warning'
  /** The file or other source. */
  origin?: string | undefined
  /** The member, or the variable. */
  place: string
  expected: string
}

/** Thrown for a faulty configuration. Its message has one line for each fault. */
export class ConfigError extends Error {
  /** The place of the first fault. */
  readonly place: string
  readonly expected: string
  readonly origin: string | undefined
  /** All faults and all warnings. */
  readonly faults: readonly ConfigFault[]
  constructor(place: string, expected: string, origin?: string, faults?: readonly ConfigFault[]) {
    const all = faults ?? [{ severity: 'fault', place, expected, origin }]
    const wrong = all.filter(({ severity }) => severity === 'fault')
    super(wrong.map(writeFault).join('\n'))
    this.name = 'ConfigError'
    this.place = place
    this.expected = expected
    this.origin = origin
    this.faults = all
  }
  /** The same error with the file or other source that the place is in. */
  within(origin: string): ConfigError {
    return this.origin === undefined ? new ConfigError(this.place, this.expected, origin) : this
  }
}

/** `dragoman.json:3:5: upstreams.claude.url: expected …`. */
export function writeFault({
  severity,
  origin,
  line,
  column,
  place,
  expected,
}: ConfigFault): string {
  const where = line === undefined ? origin : `${origin}:${line}:${column}`
  const what = severity === 'warning' ? `warning: ${expected}` : expected
  return [where, place, what].filter(Boolean).join(': ')
}

/** Gathers findings. A `ConfigError` that a check throws becomes a finding at the path that was checked. */
export class Findings {
  readonly all: Finding[] = []

  fault(path: DocumentPath, text: string, named = false): void {
    this.all.push({ path, text, named })
  }

  warn(path: DocumentPath, text: string, named = false): void {
    this.all.push({ path, text, warns: true, named })
  }

  attempt(path: DocumentPath, check: (place: string) => void, named = false): void {
    try {
      check(spellPlace(path))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.fault(path, error.expected, named)
    }
  }
}
