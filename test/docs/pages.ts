import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A piece of a page between fences. */
export interface Fence {
  page: string
  /** What it is written in: sh, ts, jsonc, … */
  language: string
  text: string
}

export interface Page {
  path: string
  text: string
}

const inFolder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

const paths = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'adapters/README.md',
  'test/README.md',
  'test/promises.md',
  'test/bench/README.md',
  ...inFolder('docs'),
]

/** Every page that people read. */
export const pages: readonly Page[] = paths.map((path) => ({
  path,
  text: readFileSync(path, 'utf8'),
}))

export const pageAt = (path: string): Page => {
  const page = pages.find((one) => one.path === path)
  if (!page) throw new Error(`there is no page ${path}`)
  return page
}

const FENCE = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm

const fencesIn = ({ path, text }: Page): Fence[] =>
  [...text.matchAll(FENCE)].map(([, language = '', inner = '']) => ({
    page: path,
    language,
    text: inner,
  }))

export const fencesOf = (...languages: readonly string[]): Fence[] =>
  pages.flatMap(fencesIn).filter(({ language }) => languages.includes(language))

/** The text without what stands between fences or backticks. */
export const proseOf = ({ text }: Page): string => text.replace(FENCE, '').replace(/`[^`\n]*`/g, '')

/** The lines of shell blocks: one that ends in a backslash goes on, and remarks are none. */
export const commandsIn = (fences: readonly Fence[]): string[] =>
  fences.flatMap(({ text }) =>
    text
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.replace(/\s+#\s.*$/, '').trim())
      .filter((line) => line !== '' && !line.startsWith('#')),
  )

/** How a heading is spelled in an address. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = ({ text }: Page): string[] =>
  [...text.replace(FENCE, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** Links of a page to other files here: where each leads, and the part of that page. */
export function linksOf(page: Page): { target: string; anchor: string | undefined }[] {
  const links = [...proseWithLinks(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page.path : normalize(join(dirname(page.path), file))
      return { target, anchor }
    })
}

const proseWithLinks = ({ text }: Page): string => text.replace(FENCE, '')

export const hasAnchor = (path: string, anchor: string): boolean =>
  anchorsOf(pageAt(path)).includes(anchor)

/** Values for the variables that a sample names with `env:`, each another one. */
export const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/env:(\w+)/g)].map(([, name = '']) => [name, `${name}-0123456789`]),
  )
