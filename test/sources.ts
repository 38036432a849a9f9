import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface Source {
  /** From the top of the repository. */
  path: string
  text: string
  lines: string[]
}

const FOLDERS = ['src', 'adapters']

/** The TypeScript of the product: what the structural tests read. */
export const sources: Source[] = FOLDERS.flatMap(sourcesIn)

/** The TypeScript that builds the product and its tables. */
export const scripts: Source[] = sourcesIn('scripts')

/** The TypeScript of the tests. */
export const tests: Source[] = sourcesIn('test')

function sourcesIn(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.includes('node_modules'),
    )
    .map((name) => sourceOf(join(folder, name)))
}

function sourceOf(path: string): Source {
  const text = readFileSync(path, 'utf8')
  return { path, text, lines: text.replace(/\n$/, '').split('\n') }
}

const IMPORT = /(?:^|\n)(?:import|export)\s(?:[\w*\s{},]*?\sfrom\s)?\s*['"]([^'"]+)['"]/g
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g

/** What a source imports: packages by name, other sources by path. */
export function importsOf({ path, text }: Source): string[] {
  return [...text.matchAll(IMPORT), ...text.matchAll(DYNAMIC)].map(([, target = '']) =>
    target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
  )
}

/** The same text with comments and the contents of strings blanked, lines kept. */
export function codeOf({ text }: Source): string {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<=[(,=:[!&|?{};\s])\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g
  return text.replace(token, (found) => found.replace(/[^\n]/g, ' '))
}
