import type { Client, Start } from './client.ts'

/** Stands for a folder that does not exist yet. */
export const FOLDER = '$folder'

/** A start as lines of a shell, for a proxy that runs by itself. */
export function shellLines({ name }: Client, start: Start, rest: readonly string[]): string {
  const { set, unset, args, files = {}, links = {} } = start
  const needsFolder = Object.keys(files).length > 0 || mentions(Object.values(set))
  return [
    ...(needsFolder ? [`folder="$(mktemp -d)"  # remove it afterwards`] : []),
    ...Object.entries(files).flatMap(([file, text]) => heredoc(`${FOLDER}/${file}`, text)),
    ...Object.entries(links).map(
      ([link, target]) => `ln -s ${word(target)} ${word(`${FOLDER}/${link}`)}`,
    ),
    ...(unset.length > 0 ? [`unset ${unset.join(' ')}`] : []),
    ...Object.entries(set).map(([variable, value]) => `export ${variable}=${word(value)}`),
    [name, ...args, ...rest].map(word).join(' '),
    '',
  ].join('\n')
}

const mentions = (values: readonly string[]): boolean =>
  values.some((value) => value.includes(FOLDER))

const heredoc = (path: string, text: string): string[] => [
  `mkdir -p ${word(path.slice(0, path.lastIndexOf('/')))}`,
  `cat > ${word(path)} <<'END'`,
  text.trimEnd(),
  'END',
]

const PLAIN = /^[\w@%+=:,./-]+$/

function word(text: string): string {
  if (PLAIN.test(text)) return text
  if (!text.includes(FOLDER)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text.replaceAll(/["`\\$]/g, (character) => `\\${character}`)
  return `"${escaped.replaceAll(`\\${FOLDER}`, FOLDER)}"`
}
