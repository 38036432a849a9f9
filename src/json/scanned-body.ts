import { restored, type Json } from './json.ts'
import { scalarIn } from './slices.ts'
import type { Structure } from './structure.ts'

/** A body that was scanned within its limits, without its long literals, so that parsing it is safe. */
export interface ScannedBody extends Structure {
  text: string
}

/** A string or boolean at the top level of a body. */
export function memberOf(
  scanned: ScannedBody | undefined,
  name: string | undefined,
): string | boolean | undefined {
  const slice = name === undefined ? undefined : scanned?.members.get(name)
  return scanned && slice && scalarIn(scanned.text, slice)
}

/** The text of a member at the top level of a body. */
export function memberText(scanned: ScannedBody | undefined, name: string): string | undefined {
  const slice = scanned?.members.get(name)
  return slice && scanned?.text.slice(slice.start, slice.end)
}

/**
 * Parses a scanned body; what the scan found is not looked for again. Throws SyntaxError for text that is no JSON.
 */
export const parseScanned = ({ text, kept }: ScannedBody): Json =>
  restored(JSON.parse(text), kept, text)
