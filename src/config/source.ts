import type { ConfigFault, Finding } from './finding.ts'
import { type DocumentPath, spellPlace } from './place.ts'
import { parseJsonc, type Position } from './jsonc.ts'

/** A configuration as it was found. */
export interface ConfigSource {
  /** The file or other source, for a person. */
  origin: string
  value: unknown
  /** A text that stops being JSON has no value. */
  broken: boolean
  /** What was found while it was read. */
  faults: readonly ConfigFault[]
  /** Where a place is in the text. */
  positionOf?(path: DocumentPath, part?: 'name' | 'value'): Position
  /** The variable that has filled a place, or should have. */
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

/** A finding with where it is. */
export function placed(finding: Finding, source: ConfigSource): ConfigFault {
  const { path, text: expected, named } = finding
  const severity = finding.warns ? 'warning' : 'fault'
  const place = spellPlace(path)
  const variable = source.variableAt?.(place)
  if (variable) return { severity, origin: variable.origin, place: variable.name, expected }
  const position = source.positionOf?.(path, named ? 'name' : 'value')
  return { severity, origin: source.origin, ...position, place, expected }
}

/** As one reads the file; what is in no file comes behind. */
export const inReadingOrder = (faults: readonly ConfigFault[]): ConfigFault[] =>
  faults.toSorted(
    (a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0,
  )
