import type { ConfigFault, Finding } from './lint/finding.ts'
import { type DocumentPath, spellPlace } from './lint/place.ts'
import { parseJsonc, type Position } from './jsonc.ts'

/** A configuration as it was read. */
export interface ConfigSource {
  /** The file or other source, for people. */
  origin: string
  value: unknown
  /** Whether the text is no JSON; then there is no value. */
  broken: boolean
  /** Faults of the text itself. */
  faults: readonly ConfigFault[]
  /** The position of a place in the text. */
  positionOf?(path: DocumentPath, part?: 'name' | 'value'): Position
  /** The variable that filled a place, or should have. */
  variableAt?(place: string): { origin: string; name: string } | undefined
}

export const objectSource = (value: unknown, origin: string): ConfigSource => ({
  origin,
  value,
  broken: false,
  faults: [],
})

export function textSource(text: string, origin: string): ConfigSource {
  const { value, faults, positionOf } = parseJsonc(text)
  return {
    origin,
    value,
    broken: value === undefined,
    faults: faults.map((fault) => ({ severity: 'fault', origin, place: '', ...fault })),
    positionOf,
  }
}

/** A finding with its position. */
export function placed(finding: Finding, source: ConfigSource): ConfigFault {
  const { path, text: expected, named } = finding
  const severity = finding.warns ? 'warning' : 'fault'
  const place = spellPlace(path)
  const variable = source.variableAt?.(place)
  if (variable) return { severity, origin: variable.origin, place: variable.name, expected }
  const position = source.positionOf?.(path, named ? 'name' : 'value')
  return { severity, origin: source.origin, ...position, place, expected }
}

/** Faults in the order of the file; those without a position come last. */
export const inReadingOrder = (faults: readonly ConfigFault[]): ConfigFault[] =>
  faults.toSorted(
    (a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0,
  )
