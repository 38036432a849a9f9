/**
 * Reads the types of a package from its `.d.ts` files: enough of the language for data (objects, lists, unions,
 * literals, names), nothing of functions. TypeScript 7 has no parser to call, and a list of words needs no checker.
 */
export type Type =
  | { readonly kind: 'word'; readonly value: string }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'list'; readonly of: Type }
  | { readonly kind: 'object'; readonly members: readonly DeclaredMember[] }
  | { readonly kind: 'either'; readonly of: readonly Type[] }
  | { readonly kind: 'both'; readonly of: readonly Type[] }
  | { readonly kind: 'named'; readonly name: string; readonly scope: string }

export interface DeclaredMember {
  readonly name: string
  readonly optional: boolean
  readonly type: Type
}

/** By qualified name: `Outer.Inner`. */
export type Declarations = ReadonlyMap<string, Type>

type TokenKind = 'word' | 'string' | 'number' | 'sign'
interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`(?:\\.|[^`\\])*`|([A-Za-z_$][\w$]*)|(-?\d[\w.]*)|(=>|\.\.\.|\S)/g

function tokenize(text: string): Token[] {
  const out: Token[] = []
  for (const [, single, double, word, number, sign] of text.matchAll(TOKEN)) {
    const string = single ?? double
    if (string !== undefined) out.push({ kind: 'string', text: string })
    else if (word !== undefined) out.push({ kind: 'word', text: word })
    else if (number !== undefined) out.push({ kind: 'number', text: number })
    else if (sign !== undefined) out.push({ kind: 'sign', text: sign })
  }
  return out
}

const CLOSES = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
  ['<', '>'],
])
const CLOSING = new Set(CLOSES.values())
const MODIFIERS = new Set(['readonly', 'public', 'protected', 'private', 'static', 'abstract'])
const VALUES = new Set(
  'string number boolean null undefined unknown any never void object true false bigint symbol'.split(
    ' ',
  ),
)
const ANYTHING: Type = { kind: 'value', name: 'unknown' }

/** One file, read from its beginning to its end. */
class Reading {
  readonly #tokens: readonly Token[]
  readonly #found: Map<string, Type>
  #at = 0

  constructor(text: string, found: Map<string, Type>) {
    this.#tokens = tokenize(text)
    this.#found = found
  }

  file(): void {
    this.#declarations('', this.#tokens.length)
  }

  #text(ahead = 0): string {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === 'sign' || token?.kind === 'word' ? token.text : ''
  }

  #take(text: string): boolean {
    if (this.#text() !== text) return false
    this.#at += 1
    return true
  }

  #isWord(ahead = 0): boolean {
    return this.#tokens[this.#at + ahead]?.kind === 'word'
  }

  /** Behind the brackets that open here. */
  #skip(): void {
    let depth = 0
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const text = this.#text()
      if (CLOSES.has(text)) depth += 1
      else if (CLOSING.has(text)) depth -= 1
      if (depth > 0) continue
      this.#at += 1
      return
    }
  }

  #declarations(scope: string, end: number): void {
    while (this.#at < end) {
      const word = this.#text()
      if (!this.#isWord(1) || !this.#declaration(word, scope)) {
        if (word === '{' || word === '(' || word === '[') this.#skip()
        else this.#at += 1
      }
    }
  }

  #declaration(word: string, scope: string): boolean {
    if (!['interface', 'class', 'type', 'enum', 'namespace'].includes(word)) return false
    const simple = this.#text(1)
    const name = scope === '' ? simple : `${scope}.${simple}`
    this.#at += 2
    if (word === 'namespace') {
      const start = this.#at
      this.#skip()
      const end = this.#at - 1
      this.#at = start + 1
      this.#declarations(name, end)
      this.#at = end + 1
      return true
    }
    if (this.#text() === '<') this.#skip()
    if (word === 'type') this.#take('=')
    const type = word === 'type' ? this.#type(name) : this.#body(name)
    const before = this.#found.get(name)
    this.#found.set(name, before ? { kind: 'both', of: [before, type] } : type)
    return true
  }

  /** What an interface, a class or an enumeration has: its own members behind those of its bases. */
  #body(scope: string): Type {
    const bases: Type[] = []
    while (this.#text() !== '{') {
      if (this.#take('extends') || this.#take('implements') || this.#take(',')) continue
      bases.push(this.#type(scope))
    }
    const own = this.#object(scope)
    return bases.length === 0 ? own : { kind: 'both', of: [...bases, own] }
  }

  #type(scope: string): Type {
    const types: Type[] = []
    this.#take('|')
    do types.push(this.#crossed(scope))
    while (this.#take('|'))
    const [only] = types
    const type: Type = only && types.length === 1 ? only : { kind: 'either', of: types }
    // A condition: which branch holds depends on what is not known here.
    if (!this.#take('extends')) return type
    this.#type(scope)
    this.#take('?')
    this.#type(scope)
    this.#take(':')
    return this.#type(scope)
  }

  #crossed(scope: string): Type {
    const types: Type[] = []
    this.#take('&')
    do types.push(this.#element(scope))
    while (this.#take('&'))
    const [only] = types
    return only && types.length === 1 ? only : { kind: 'both', of: types }
  }

  #element(scope: string): Type {
    let type = this.#simple(scope)
    while (this.#text() === '[') {
      const isList = this.#text(1) === ']'
      this.#skip()
      type = isList ? { kind: 'list', of: type } : ANYTHING
    }
    return type
  }

  #simple(scope: string): Type {
    const token = this.#tokens[this.#at]
    if (!token) return ANYTHING
    if (token.text === '{' && token.kind === 'sign') return this.#object(scope)
    if (token.text === '[' && token.kind === 'sign') {
      this.#skip()
      return { kind: 'list', of: ANYTHING }
    }
    if (token.text === '(' && token.kind === 'sign') return this.#bracketed(scope)
    this.#at += 1
    if (token.kind === 'string') return { kind: 'word', value: token.text }
    if (token.kind === 'number') return { kind: 'value', name: 'number' }
    if (['keyof', 'typeof', 'readonly', 'new', 'infer', 'unique'].includes(token.text))
      return this.#element(scope)
    return token.kind === 'word' ? this.#named(token.text, scope) : ANYTHING
  }

  /** A type in brackets, or a function. */
  #bracketed(scope: string): Type {
    const start = this.#at
    this.#skip()
    if (this.#take('=>')) {
      this.#type(scope)
      return ANYTHING
    }
    const end = this.#at
    this.#at = start + 1
    const type = this.#type(scope)
    this.#at = end
    return type
  }

  #named(first: string, scope: string): Type {
    if (VALUES.has(first)) return { kind: 'value', name: first }
    let name = first
    while (this.#text() === '.' && this.#isWord(1)) {
      name += `.${this.#text(1)}`
      this.#at += 2
    }
    const args = this.#text() === '<' ? this.#arguments(scope) : []
    const [inner = ANYTHING] = args
    if (name === 'Array' || name === 'ReadonlyArray') return { kind: 'list', of: inner }
    if (name === 'Record') return ANYTHING
    // What they leave out is asked about once too often, which harms nothing.
    if (['Omit', 'Pick', 'Partial', 'Required', 'Readonly', 'Exclude'].includes(name)) return inner
    return { kind: 'named', name, scope }
  }

  #arguments(scope: string): Type[] {
    const start = this.#at
    this.#skip()
    const end = this.#at
    this.#at = start + 1
    const types: Type[] = []
    while (this.#at < end - 1) {
      types.push(this.#type(scope))
      if (!this.#take(',')) break
    }
    this.#at = end
    return types
  }

  /** The members of an object, or the words of an enumeration. */
  #object(scope: string): Type {
    const members: DeclaredMember[] = []
    const words: Type[] = []
    this.#at += 1
    while (this.#at < this.#tokens.length && !this.#take('}')) {
      const name = this.#memberName()
      if (name === undefined) continue
      const optional = this.#take('?')
      if (this.#take('=')) words.push(this.#simple(scope))
      else if (this.#take(':')) members.push({ name, optional, type: this.#type(scope) })
      else if (this.#text() === '(' || this.#text() === '<') this.#signature(scope)
    }
    return words.length > 0 ? { kind: 'either', of: words } : { kind: 'object', members }
  }

  #memberName(): string | undefined {
    while (MODIFIERS.has(this.#text()) && !['?', ':', '('].includes(this.#text(1))) this.#at += 1
    // `get text(): string` is no member of what is sent.
    const isAccessor = ['get', 'set'].includes(this.#text()) && this.#isWord(1)
    const token = this.#tokens[this.#at]
    if (!isAccessor && (token?.kind === 'word' || token?.kind === 'string')) {
      this.#at += 1
      return token.text
    }
    if (isAccessor) this.#at += 2
    if (this.#text() === '(' || this.#text() === '<') this.#signature('')
    else if (this.#text() === '[') this.#indexed()
    else this.#at += 1
    return undefined
  }

  /** `[key: string]: T` says nothing of names. */
  #indexed(): void {
    this.#skip()
    this.#take('?')
    if (this.#take(':')) this.#type('')
  }

  #signature(scope: string): void {
    if (this.#text() === '<') this.#skip()
    if (this.#text() === '(') this.#skip()
    if (this.#take(':')) this.#type(scope)
  }
}

export function declarationsIn(texts: readonly string[]): Declarations {
  const found = new Map<string, Type>()
  for (const text of texts) new Reading(text, found).file()
  return found
}

/** What a name means where it stands: inner scopes first, then without the alias of an import. */
export function resolveName(found: Declarations, name: string, scope: string): string | undefined {
  for (let outer = scope; ; outer = outer.slice(0, Math.max(outer.lastIndexOf('.'), 0))) {
    const full = outer === '' ? name : `${outer}.${name}`
    if (found.has(full)) return full
    if (outer === '') break
  }
  const dot = name.indexOf('.')
  return dot < 0 ? undefined : resolveName(found, name.slice(dot + 1), '')
}
