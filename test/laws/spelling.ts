/** Strings, whatever stands between them but white space, and nothing else. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g

interface Spelling {
  lineEnd: string
  indent: string
}

/** As programs and people write JSON. */
const SPELLINGS: readonly (Spelling | undefined)[] = [
  undefined,
  { lineEnd: '\n', indent: '  ' },
  { lineEnd: '\r\n', indent: '\t' },
  { lineEnd: '\r', indent: ' \t' },
]

/** The same JSON with other white space, of one kind or another. Numbers and strings stay as they are. */
export function spelled(text: string, which: number): string {
  const spelling = SPELLINGS[which % SPELLINGS.length]
  return spelling ? spaced(text, spelling) : text
}

/** The same with a line end wherever one may be. */
export const pretty = (text: string): string => spaced(text, { lineEnd: '\r\n', indent: '\t' })

/** The same, and what is said of tools and their parameters is cut by what some readers take for a line end. */
export const cutUp = (text: string): string =>
  pretty(text).replace(/("description": "[^"\\ ]*) /g, '$1\u2028')

/** White space that was there is not kept, so that saying it again is the same again. */
function spaced(text: string, { lineEnd, indent }: Spelling): string {
  let depth = 0
  const newLine = () => lineEnd + indent.repeat(Math.min(depth, 8))
  const tokens = text.match(TOKENS)?.map((token) => {
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') {
      depth -= 1
      return newLine() + token
    }
    if (token === ':') return ': '
    return '{[,'.includes(token) ? token + newLine() : token
  })
  return tokens?.join('') ?? text
}
