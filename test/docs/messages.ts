import { sources } from '../sources.ts'

/** Where a text for a person begins: a problem, a fault of a configuration, a warning. */
const BEGINS =
  /(?:\b(?:message|wanted|LOCKED)(?: =|:)|\b(?:late|broken|invalid|unsupported|refused|failure|unavailable|tooDeep|complain|fault|warn|ConfigError|overrule)\()/g

const TEXT = /'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\]|\\.)+)`/g

/** A text of the sources that somebody may read, without what is put into it. */
export interface Message {
  file: string
  /** What it is known by: its longest piece that is always the same. */
  piece: string
}

const pieceOf = (text: string): string => {
  const pieces = text.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
  return pieces.toSorted((one, other) => other.length - one.length)[0]?.trim() ?? ''
}

/** A sentence, or the half of one: what has no space is a name. */
const isSaid = (piece: string): boolean =>
  piece.length >= 12 && piece.includes(' ') && !piece.includes('??')

function messagesIn(file: string, text: string): Message[] {
  return [...text.matchAll(BEGINS)].flatMap(({ index, 0: begin }) => {
    // A call ends with its line of arguments; a member with its value.
    const isCall = begin.endsWith('(')
    const rest = text.slice(index + begin.length, index + begin.length + 400)
    const end = isCall ? rest.search(/\n\n|\)\n/) : rest.search(/,?\n/) + 120
    const texts = [...rest.slice(0, end < 0 ? undefined : end).matchAll(TEXT)]
    const first = isCall
      ? texts.find(([, one, other]) => isSaid(pieceOf(one ?? other ?? '')))
      : texts[0]
    const said = pieceOf(first?.[1] ?? first?.[2] ?? '')
    return isSaid(said) ? [{ file, piece: said }] : []
  })
}

/** What users can be told by the proxy and at its start. */
export const messages: readonly Message[] = sources
  .filter(({ path }) => !/\/demo|explain\.ts$/.test(path))
  .flatMap(({ path, text }) => messagesIn(path, text))
