export type Yaml = string | number | boolean | null | Yaml[] | { [name: string]: Yaml }

interface Line {
  indent: number
  text: string
}

/** As much of YAML as the files for deployment are written in: maps, lists, JSON on one line, and `|`. */
export const yamlDocuments = (text: string): Yaml[] =>
  text.split(/^---$/m).map((part) => {
    const lines = part.split('\n').map((line): Line => {
      const indent = line.length - line.trimStart().length
      return { indent, text: line.trim() }
    })
    return block(lines.filter(({ text: words }) => words !== '' && !words.startsWith('#')))
  })

function block(lines: Line[]): Yaml {
  const [first] = lines
  if (!first) return null
  const groups = grouped(lines, first.indent)
  if (!first.text.startsWith('- ')) return Object.fromEntries(groups.map(member))
  return groups.map(([head = first, ...rest]) => {
    const inner = head.text.slice(2)
    if (!isMember(inner)) return scalar(inner)
    return block([{ indent: head.indent + 2, text: inner }, ...rest])
  })
}

/** Each line of this depth with the deeper ones behind it. */
function grouped(lines: readonly Line[], indent: number): Line[][] {
  const groups: Line[][] = []
  for (const line of lines) {
    if (line.indent < indent) throw new Error(`too shallow: ${line.text}`)
    if (line.indent === indent) groups.push([line])
    else groups.at(-1)?.push(line)
  }
  return groups
}

const MEMBER = /^([\w./-]+):(?:\s+(.*))?$/
const isMember = (text: string): boolean => MEMBER.test(text)

function member([head, ...rest]: Line[]): [string, Yaml] {
  const [, name, value] = MEMBER.exec(head?.text ?? '') ?? []
  if (name === undefined) throw new Error(`no member: ${head?.text}`)
  if (value === '|') return [name, rest.map(({ text }) => text).join('\n')]
  return [name, value === undefined ? block(rest) : scalar(value)]
}

function scalar(text: string): Yaml {
  const [, quoted] = /^'(.*)'$/.exec(text) ?? []
  if (quoted !== undefined) return quoted
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
