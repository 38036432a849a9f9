/**
 * The part of YAML 1.2 in which configurations of proxies are written: block and flow maps and lists, quoted and
 * plain scalars, block scalars, comments. Anchors, tags and several documents are refused with their line. A YAML
 * library would be a fifth of the command's size, for something that most users run once.
 */
export function parseYaml(text: string): unknown {
  const lines = splitLines(text)
  const reader = new BlockReader(lines)
  const value = reader.block(0)
  reader.demandEnd()
  return value
}

/** What is wrong with a text, and in which line. */
export class TextFault extends Error {
  readonly line: number
  constructor(line: number, expected: string) {
    super(expected)
    this.line = line
  }
}

interface Line {
  number: number
  indent: number
  /** The line without its indentation, and without its comment outside of block scalars. */
  text: string
  raw: string
}

function splitLines(text: string): Line[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((raw, index) => {
      if (/^\t+\S/.test(raw)) throw new TextFault(index + 1, 'expected spaces: tabs do not indent')
      const indent = raw.search(/\S|$/)
      return { number: index + 1, indent, text: withoutComment(raw.slice(indent)).trimEnd(), raw }
    })
}

/** A comment begins behind a space, outside of quotes. Such as are not closed in their line hide nothing. */
function withoutComment(text: string): string {
  const match = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#"']|["']|(?<=\S)#)*/.exec(text)
  return match ? match[0] : text
}

const KEY =
  /^((?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'[{#&*!|>%@`-][^#]*?|-[^\s#][^#]*?))(?<=\S)\s*:(?:\s+|$)/

/** No configuration is so deep, and each level is a call of a function in a call. */
const MOST_LEVELS = 100

const tooDeep = (line: number): TextFault =>
  new TextFault(line, `expected at most ${MOST_LEVELS} levels of maps and lists`)

class BlockReader {
  #lines: Line[]
  #at = 0
  #depth = 0

  constructor(lines: Line[]) {
    this.#lines = lines
  }

  /** The next line that is not empty. The end of the text has no indentation. */
  #peek(): Line | undefined {
    while (isBlank(this.#lines[this.#at])) this.#at += 1
    return this.#lines[this.#at]
  }

  demandEnd(): void {
    const line = this.#peek()
    if (line)
      throw new TextFault(line.number, 'expected the end, or an indentation like the ones above')
  }

  /** A map, list or scalar that is indented by at least `indent`. */
  block(indent: number): unknown {
    const line = this.#peek()
    if (!line || line.indent < indent) return null
    if (this.#depth >= MOST_LEVELS) throw tooDeep(line.number)
    this.#depth += 1
    const value = this.#value(line)
    this.#depth -= 1
    return value
  }

  #value(line: Line): unknown {
    if (isItem(line.text)) return this.#list(line.indent)
    if (KEY.test(line.text)) return this.#map(line.indent)
    this.#at += 1
    return this.#scalar(line.text, line)
  }

  #list(indent: number): unknown[] {
    const items: unknown[] = []
    for (
      let line = this.#peek();
      line && line.indent === indent && isItem(line.text);
      line = this.#peek()
    ) {
      const rest = line.text.slice(1).trimStart()
      if (rest === '') {
        this.#at += 1
        items.push(this.block(indent + 1))
        continue
      }
      // What follows the dash is a block whose indentation is its own column.
      const deeper = indent + line.text.length - rest.length
      this.#lines[this.#at] = { ...line, indent: deeper, text: rest }
      items.push(this.block(deeper))
    }
    return items
  }

  #map(indent: number): Record<string, unknown> {
    const members = new Map<string, unknown>()
    for (let line = this.#peek(); line && line.indent === indent; line = this.#peek()) {
      const match = KEY.exec(line.text)
      if (!match) throw new TextFault(line.number, 'expected "name: value"')
      this.#at += 1
      const name = String(readScalar(match[1] ?? '', line.number))
      members.set(name, this.#valueAfter(line.text.slice(match[0].length), line))
    }
    return Object.fromEntries(members)
  }

  #valueAfter(rest: string, line: Line): unknown {
    if (/^[|>][+-]?\d?$/.test(rest)) return this.#text(rest, line.indent)
    if (rest !== '') return this.#scalar(rest, line)
    const next = this.#peek()
    // A list may be indented as little as the name that it belongs to.
    return next && isItem(next.text) && next.indent === line.indent
      ? this.#list(line.indent)
      : this.block(line.indent + 1)
  }

  /** A block scalar, whose lines are kept (`|`) or folded into one (`>`). */
  #text(mark: string, indent: number): string {
    const lines: string[] = []
    for (let line = this.#lines[this.#at]; line; line = this.#lines[this.#at]) {
      if (line.raw.trim() !== '' && line.raw.search(/\S/) <= indent) break
      lines.push(line.raw)
      this.#at += 1
    }
    const depth = lines
      .filter((each) => each.trim())
      .reduce((least, each) => Math.min(least, each.search(/\S/)), Infinity)
    const text = lines
      .map((each) => each.slice(depth))
      .join(mark.startsWith('>') ? ' ' : '\n')
      .trimEnd()
    return mark.includes('-') ? text : `${text}\n`
  }

  /** A scalar in brackets or quotes may continue on further lines. */
  #scalar(first: string, line: Line): unknown {
    if (!/^[[{]/.test(first)) return readScalar(first, line.number)
    const parts = [first]
    const brackets = new Brackets()
    while (brackets.areOpenBehind(parts.at(-1) ?? '')) {
      const next = this.#peek()
      if (!next) throw new TextFault(line.number, 'expected the end of what is opened here')
      parts.push(next.text)
      this.#at += 1
    }
    return new FlowReader(parts.join(' '), line.number).read()
  }
}

const isBlank = (line: Line | undefined): boolean =>
  line !== undefined && (line.text === '' || (line.number === 1 && line.text === '---'))

const isItem = (text: string): boolean => text === '-' || text.startsWith('- ')

/** Tells, line by line, whether brackets are open. A quote that opens a scalar may close it on a further line. */
class Brackets {
  #depth = 0
  #quote = ''
  #before = ''

  areOpenBehind(line: string): boolean {
    for (let at = 0; at < line.length; at += 1) {
      const sign = line[at] ?? ''
      if (this.#quote === '"' && sign === '\\') at += 1
      else if (this.#quote !== '') this.#quote = sign === this.#quote ? '' : this.#quote
      else this.#take(sign)
    }
    return this.#depth > 0
  }

  #take(sign: string): void {
    if (sign === ' ') return
    if ((sign === '"' || sign === "'") && /[[{,:]/.test(this.#before)) this.#quote = sign
    else if (sign === '[' || sign === '{') this.#depth += 1
    else if (sign === ']' || sign === '}') this.#depth -= 1
    this.#before = sign
  }
}

class FlowReader {
  #text: string
  #line: number
  #at = 0
  #depth = 0

  constructor(text: string, line: number) {
    this.#text = text
    this.#line = line
  }

  read(): unknown {
    const value = this.#value()
    this.#skip()
    if (this.#at < this.#text.length)
      throw new TextFault(this.#line, 'expected nothing behind the bracket')
    return value
  }

  #skip(): void {
    while (this.#text[this.#at] === ' ') this.#at += 1
  }

  #takes(mark: string): boolean {
    this.#skip()
    if (this.#text[this.#at] !== mark) return false
    this.#at += 1
    return true
  }

  #value(): unknown {
    if (this.#takes('[')) return this.#until(']', () => this.#value())
    if (this.#takes('{')) {
      const members = this.#until('}', () => {
        const name = String(this.#plain(/(?:[^,:\]}]|:(?!\s))+/y))
        return [name, this.#takes(':') ? this.#value() : null] as const
      })
      return Object.fromEntries(members)
    }
    return this.#plain(/[^,\]}]+/y)
  }

  #until<T>(end: string, one: () => T): T[] {
    const all: T[] = []
    if (this.#depth >= MOST_LEVELS) throw tooDeep(this.#line)
    this.#depth += 1
    while (!this.#takes(end)) {
      all.push(one())
      if (!this.#takes(',') && this.#text[this.#at] !== end)
        throw new TextFault(this.#line, `expected "," or "${end}"`)
    }
    this.#depth -= 1
    return all
  }

  #plain(until: RegExp): unknown {
    this.#skip()
    const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/y
    for (const pattern of [quoted, until]) {
      pattern.lastIndex = this.#at
      const [found] = pattern.exec(this.#text) ?? []
      if (found === undefined) continue
      this.#at += found.length
      return readScalar(found.trim(), this.#line)
    }
    throw new TextFault(this.#line, 'expected a value')
  }
}

function readScalar(text: string, line: number): unknown {
  if (/^[&*!%@`]/.test(text))
    throw new TextFault(line, 'anchors, aliases and tags are not read here')
  if (text.startsWith('"')) return unquoted(text, line)
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return null
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : text
}

function unquoted(text: string, line: number): string {
  try {
    return String(JSON.parse(text))
  } catch {
    throw new TextFault(line, 'expected a text in double quotes')
  }
}
