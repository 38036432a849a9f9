// What the filter lets through, as a file.

import { replayOf } from './copy.js'
import { action, byId, dialog, h } from './dom.js'
import { shownOrder } from './list.js'
import { asked } from './proxy.js'
import { parsed } from './tree.js'
import { plural } from './words.js'

export function save() {
  const numbers = shownOrder().map(({ number }) => number)
  dialog(
    'export',
    h('p', `${plural(numbers.length, 'exchange')}, as the filter shows them. Keys are masked.`),
    h(
      'div.bar',
      action('records, for npm run replay', () => saved(numbers, 'exchanges.jsonl', records)),
      action('HAR, for browsers and tools', () => saved(numbers, 'exchanges.har', archive)),
    ),
  )
}

async function saved(numbers, name, write) {
  const told = []
  for (const number of numbers) {
    const x = await asked(`/exchange/${number}`).catch(() => undefined)
    if (x) told.push(x)
  }
  const url = URL.createObjectURL(new Blob([write(told)], { type: 'application/json' }))
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
  byId('dialog').close()
}

const records = (told) =>
  told
    .map((x) => recordOf(x))
    .filter(Boolean)
    .map((line) => `${line}\n`)
    .join('')

/** The upstream's side, and the caller's beside it. */
function recordOf(x) {
  const line = replayOf(x, x.calls.at(-1))
  if (!line || x.came.body.cut || !x.told) return line
  const isStream = /event-stream/.test(x.told.type ?? '')
  const caller = {
    dialect: x.dialect,
    request: { method: x.method, path: x.url, body: parsed(x.came.body.text ?? '')?.value },
    response: {
      status: x.told.status,
      ...(isStream ? { sse: x.told.body.text } : { body: parsed(x.told.body.text ?? '')?.value }),
    },
  }
  return JSON.stringify({ ...JSON.parse(line), caller })
}

const pairs = (headers) => (headers ?? []).map(([name, value]) => ({ name, value }))

const archive = (told) =>
  JSON.stringify({
    log: {
      version: '1.2',
      creator: { name: 'dragoman', version: '' },
      entries: told.map((x) => ({
        startedDateTime: new Date(x.startedAt).toISOString(),
        time: x.totalMs ?? 0,
        request: {
          method: x.method,
          url: `http://127.0.0.1${x.url}`,
          httpVersion: 'HTTP/1.1',
          cookies: [],
          queryString: [],
          headers: pairs(x.came.headers),
          headersSize: -1,
          bodySize: x.came.body.size,
          postData: { mimeType: x.came.type ?? '', text: x.came.body.text ?? '' },
        },
        response: {
          status: x.told?.status ?? 0,
          statusText: '',
          httpVersion: 'HTTP/1.1',
          cookies: [],
          headers: pairs(x.told?.headers),
          redirectURL: '',
          headersSize: -1,
          bodySize: x.told?.body.size ?? 0,
          content: {
            size: x.told?.body.size ?? 0,
            mimeType: x.told?.type ?? '',
            text: x.told?.body.text ?? '',
          },
        },
        cache: {},
        timings: { send: 0, wait: x.firstByteMs ?? 0, receive: 0 },
        comment: `${x.dialect} → ${x.upstreamDialect}`,
      })),
    },
  })
