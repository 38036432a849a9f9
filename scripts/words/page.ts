/**
 * Every word of the newest official clients, and what becomes of it over each of the other dialects, found out by
 * saying it. `node scripts/words/page.ts --write` puts it into docs/words.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { DIALECTS, type Dialect } from '../../adapters/dialect.ts'
import { FIELD_TABLES } from '../field-tables.ts'
import { BEYOND, beyond } from './beyond.ts'
import {
  SIDES,
  packageVersion,
  fatedWords,
  othersThan,
  type Side,
  type FatedWord,
} from './census.ts'
import { findReason, reasonsFor } from './check.ts'
import type { Fate } from './fates.ts'
import { REPLIES } from './wires.ts'

const PAGE = new URL('../../docs/words.md', import.meta.url)

const HEAD = `# Every word

What becomes of each member and each literal that the official clients know. Between two sides of one dialect every word passes as it came, those that are newer than this page too. Over another dialect it is

- **carried**: what is sent changes with it;
- **reported**: it has no place there, and stands among the [losses](losses.md), by itself or with what holds it;
- **refused**: the request is refused before anything is sent;
- **silent**: neither, for the reason that stands beside it.

The tables are made by saying every word, at one place for each type that has it, and looking at what comes of it (\`npm run docs\`). A word that stands at several places may have several fates. \`test/docs\` fails for a word that is silent without a reason, and where this page is not what the code does: a newer client is a list of words to decide upon. A word is written as its client has it, a literal in quotation marks.
`

/** One word, with the fates that it has over each other dialect. */
interface Row {
  readonly word: string
  readonly fates: readonly string[]
  readonly reasons: readonly string[]
}

function writeRows(words: readonly FatedWord[], dialect: Dialect, side: Side): Row[] {
  const reasons = reasonsFor(dialect, side)
  const byWord = Map.groupBy(words, ({ kind, word }) => (kind === 'literal' ? `"${word}"` : word))
  return [...byWord].map(([word, all]) => ({
    word,
    fates: othersThan(dialect).map((_, at) => joined(all.map(({ fates }) => fates[at]))),
    reasons: [
      ...new Set(
        all
          .filter(({ fates }) => fates.includes('silent'))
          .map((one) => findReason(one, reasons) ?? 'Undecided.'),
      ),
    ],
  }))
}

const joined = (fates: readonly (Fate | undefined)[]): string =>
  [...new Set(fates)]
    .filter((fate) => fate !== undefined)
    .toSorted()
    .join(', ')

/** By their first letters, which keeps the lines short. */
function listed(words: readonly string[]): string[] {
  const byLetter = Map.groupBy(words.toSorted(), (word) => /[a-z\d]/i.exec(word)?.[0].toLowerCase())
  return [...byLetter.values()].map((some) => `- ${some.map(quoted).join(', ')}`)
}

const quoted = (word: string): string => `\`${word}\``

const isReported = ({ fates, reasons }: Row): boolean =>
  reasons.length === 0 && fates.every((fate) => fate === 'reported')

function section(dialect: Dialect, side: Side): string {
  const others = othersThan(dialect)
  const rows = writeRows(fatedWords(dialect, side), dialect, side)
  const told = rows.filter((row) => !isReported(row))
  const table = told
    .toSorted((a, b) => (a.word < b.word ? -1 : 1))
    .map(
      ({ word, fates, reasons }) =>
        `| \`${word}\` | ${[...fates, reasons.join(' ')].join(' | ')} |`,
    )
  const { echo = [] } = side === 'reply' ? REPLIES[dialect] : {}
  return [
    `### ${side === 'request' ? 'Requests' : 'Replies'}`,
    '',
    `| word | ${others.map((to) => `over ${to}`).join(' | ')} | why it may be silent |`,
    `|${'---|'.repeat(2 + others.length)}`,
    ...table,
    '',
    'Reported over every other dialect:',
    '',
    ...listed(rows.filter(isReported).map(({ word }) => word)),
    ...(echo.length > 0
      ? ['', `Repeat the request, and are written anew: ${echo.map(quoted).join(', ')}.`]
      : []),
  ].join('\n')
}

function others(dialect: Dialect): string[] {
  return BEYOND[dialect].map((group) => {
    const byText = Map.groupBy(beyond(dialect, group), ([, text]) => text)
    const lists = [...byText].map(([text, words]) =>
      [text, '', ...listed(words.map(([word]) => word))].join('\n'),
    )
    return [`### ${group.title}`, ...lists].join('\n\n')
  })
}

/** The members of a request that have a row of their own. */
function members(dialect: Dialect): string {
  const rows = Object.entries(FIELD_TABLES[dialect]).flatMap(([prefix, fields]) =>
    Object.entries(fields).map(([name, { uses, place }]) => {
      const told = uses.includes('read') ? `\`${place ?? prefix + name}\`` : 'kept for this dialect'
      return `| \`${prefix}${name}\` | ${told} | ${uses.includes('drop') ? 'yes' : ''} |`
    }),
  )
  return [
    '### Members of a request',
    '',
    'Where each belongs, which is how a loss is named, and whether [`drop`](configuration.md#upstreamsmodels) may leave it out.',
    '',
    '| member | place | `drop` |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}

export const wordsPage = (): string =>
  [
    HEAD,
    ...DIALECTS.flatMap((dialect) => [
      `## ${dialect}\n\nAs of ${packageVersion(dialect)}.`,
      members(dialect),
      ...SIDES.map((side) => section(dialect, side)),
      ...others(dialect),
    ]),
  ].join('\n\n') + '\n'

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const page = wordsPage()
  if (process.argv.includes('--write')) writeFileSync(PAGE, page)
  else process.stdout.write(page)
}

export const wordsFile = (): string => readFileSync(PAGE, 'utf8')
