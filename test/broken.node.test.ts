import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Dialect } from '../adapters/dialect.ts'
import { dialects } from '../adapters/index.ts'
import type { LogEntry } from '../src/observe/entry.ts'
import { createLog } from '../src/observe/log.ts'
import { kits } from './dialects/index.ts'
import { KEY, proxyOf } from './exchange/proxy.ts'
import { BROKEN, type Came, HEARD, type Heard } from './golden/broken.ts'

const FOLDER = 'fixtures/broken'
const SHOWN_HEADERS = ['content-type', 'retry-after', 'x-should-retry', 'x-dragoman-losses']

const fileOf = ([caller, upstream, framing]: Heard): string =>
  `${[caller, upstream, framing].filter((part) => part !== undefined).join('.')}.txt`

/** The bytes with their carriage returns to be seen. */
const shown = (text: string): string => text.replaceAll('\r', '\\r')
const titled = (title: string, text: string): string =>
  `======== ${title}\n${text}${text === '' || text.endsWith('\n') ? '' : '(no line end)\n'}`

/** A caller that wants a stream, and says one thing that its upstream's model does not take. */
function asked(caller: Dialect): { path: string; body: object } {
  const { http, ask } = kits[caller]
  const rest = {
    ...ask.needed,
    ...ask.text('How is the weather?'),
    ...ask.offer([{ name: 'weather', schema: { type: 'object', properties: {} } }]),
    ...ask.bounds(0.5, 100),
  }
  return { path: http.path('model-1', true), body: http.body('model-1', true, rest) }
}

/** One exchange of a proxy whose clock and ids are fixed, and what a reader of its golden sees. */
async function told([caller, upstream, framing]: Heard, came: Came): Promise<string> {
  const models = new Map([['*', { drop: ['temperature' as const] }]])
  const change = {
    routes: [{ model: '*', upstream: 'plain' }],
    upstream: { dialect: upstream, models },
    lossTrailer: true,
  }
  const proxy = proxyOf(came.reply, change, { dialects })
  const { path: usual, body } = asked(caller)
  const path = framing === 'json-array' ? usual.replace('?alt=sse', '') : usual
  const headers = { 'anthropic-version': '2023-06-01' }
  const response = await proxy.fetch(path, { body, headers })
  const text = await response.text()
  const trailers = text.split('\n').filter((line) => line.startsWith(': x-dragoman-losses'))
  return [
    titled(`came from ${upstream}`, shown(came.shown)),
    titled(`left to ${caller}`, `${headOf(response)}\n${shown(text)}`),
    titled('losses at the end', linesOf(trailers)),
    titled('log', linesOf(logged(proxy.log))),
  ].join('')
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

const headOf = ({ status, headers }: Response): string =>
  linesOf([
    String(status),
    ...SHOWN_HEADERS.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [`${name}: ${value}`]
    }),
  ])

function logged(entries: readonly LogEntry[]): string[] {
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line), now: () => 0, secrets: [KEY] })
  for (const entry of entries)
    // The only duration that is not measured by the clock of the ports.
    log(entry.overheadMs === undefined ? entry : { ...entry, overheadMs: 0 })
  return lines
}

describe.each(BROKEN)('a stream that breaks, %s', (name, cameFrom) => {
  it.each(HEARD.map((heard) => ({ heard })))('is told as before: $heard', async ({ heard }) => {
    const [caller, upstream, framing] = heard
    const came = cameFrom(upstream, caller === upstream ? framing : undefined)
    await expect(await told(heard, came)).toMatchFileSnapshot(
      `../${FOLDER}/${name}/${fileOf(heard)}`,
    )
  })
})

it('no golden of a stream that breaks is left over', () => {
  const names = BROKEN.map(([name]) => name)
  const files = HEARD.map(fileOf)
  for (const name of readdirSync(FOLDER)) {
    expect(names).toContain(name)
    for (const file of readdirSync(`${FOLDER}/${name}`)) expect(files).toContain(file)
  }
})
