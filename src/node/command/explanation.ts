import { isObject, type JsonObject, objectsOf, parseObject } from '../../json/json.ts'
import { printable } from '../../observe/log.ts'

/** Colours of a terminal, or none. */
export type Paint = (text: string, colour: keyof typeof ANSI) => string

const ANSI = { bold: 1, grey: 90, green: 32, yellow: 33, red: 31, cyan: 36 } as const

export const painter =
  (coloured: boolean): Paint =>
  (text, colour) =>
    coloured ? `\u001b[${ANSI[colour]}m${text}\u001b[0m` : text

/**
 * An explanation for people: the upstream, the body, and what is lost. A text that is no explanation is returned as
 * it is.
 */
export function readableExplanation(text: string, paint: Paint): string {
  const value = parseObject(text)
  const upstream = value?.['upstream']
  if (!value || !isObject(upstream)) return text
  return [
    `${paint(shown(value['caller']), 'bold')} > ${paint(shown(upstream['name']), 'bold')} (${shown(upstream['dialect'])})`,
    `${shown(upstream['method'])} ${paint(shown(upstream['url']), 'cyan')}`,
    ...headerLines(upstream, paint),
    '',
    ...indentedBody(upstream['body']),
    '',
    ...lossLines(objectsOf(value['losses']), paint),
  ].join('\n')
}

function headerLines({ headers }: JsonObject, paint: Paint): string[] {
  const all = Object.entries(isObject(headers) ? headers : {})
  return all.map(([name, value]) => paint(`${printable(name)}: ${shown(value)}`, 'grey'))
}

const indentedBody = (body: unknown): string[] =>
  (JSON.stringify(body, null, 2) ?? '').split('\n').map((line) => printable(line))

const COLOURS: ReadonlyMap<string, keyof typeof ANSI> = new Map([
  ['dropped', 'red'],
  ['approximated', 'yellow'],
])

function lossLines(losses: readonly JsonObject[], paint: Paint): string[] {
  if (losses.length === 0) return [paint('Nothing is lost.', 'green')]
  const width = Math.max(...losses.map(({ code }) => shown(code).length))
  return losses.map(({ code, path, detail, why, field }) => {
    const word = shown(code)
    const said = [shown(path), field && `(${shown(field)})`, why ?? detail]
      .filter((part) => part !== undefined && part !== '')
      .map(shown)
    return `${paint(word.padEnd(width), COLOURS.get(word) ?? 'grey')}  ${said.join('  ')}`
  })
}

/** Texts from outside, without what could control a terminal. */
const shown = (value: unknown): string =>
  value === undefined ? '' : printable(typeof value === 'string' ? value : JSON.stringify(value))
