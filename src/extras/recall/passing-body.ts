import { holdsLiterals } from '../../json/large-literals.ts'
import { ScannedBody } from '../../json/scanned-body.ts'
import { likelyValue } from '../../json/slices.ts'
import { endOfSpace, endOfValue, SIGN } from '../../json/tokens.ts'
import type { BodyRules } from '../../ports.ts'
import type { NativeBytes } from './fresh-body.ts'
import { MOST_TURNS } from './opening.ts'

const DECODER = new TextDecoder()

/**
 * A body that is only searched for what must not pass, in its bytes: it is neither scanned nor decoded. `firstEnds`:
 * where its first turns end. Undefined for bytes that are no text, and where long data is to be left out of it.
 */
export function readPassing(
  bytes: Uint8Array,
  { turns, verbatim }: BodyRules,
  native: NativeBytes,
): { body: ScannedBody; firstEnds: readonly number[] } | undefined {
  const isText = native.isAscii(bytes) || native.isUtf8(bytes)
  if (!isText || holdsLiterals(bytes)) return undefined
  const latin1 = native.latin1(bytes)
  const body = new ScannedBody(() => DECODER.decode(bytes), undefined, { verbatim, latin1 })
  return { body, firstEnds: firstEnds(latin1, turns) }
}

/** Where the first elements end of what looks like the list of this name. */
function firstEnds(text: string, name: string): number[] {
  const ends: number[] = []
  try {
    let at = likelyValue(text, name) ?? text.length
    if (text.charCodeAt(at) !== SIGN.openBracket) return ends
    do {
      const start = endOfSpace(text, at + 1)
      const end = endOfValue(text, start)
      if (end > start) ends.push(end)
      at = endOfSpace(text, end)
    } while (ends.length < MOST_TURNS && text.charCodeAt(at) === SIGN.comma)
  } catch {
    // It is no JSON, which the upstream says.
  }
  return ends
}
