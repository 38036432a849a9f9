// What an exchange took: time and tokens.

import { h, el, strip } from './dom.js'
import { attemptName, count, money, plural, time } from './words.js'

export function waterfall(x) {
  // Of an exchange that is still open, until what has come last.
  const known = [x.told ?? {}, ...x.calls].flatMap(
    ({ at, connectedAt, headAt, firstAt, endAt }) => [at, connectedAt, headAt, firstAt, endAt],
  )
  const end = Math.max(0.1, ...[x.totalMs, x.readAt, ...known].map((each) => each ?? 0))
  const row = (name, from, to, kind) => {
    if (from === undefined || to === undefined) return []
    const bar = el('span', { class: kind })
    bar.style.left = `${(100 * from) / end}%`
    bar.style.width = `${(100 * Math.max(0, to - from)) / end}%`
    return [h('span', name), h('div.track', bar), h('span.number', time(to - from))]
  }
  const first = x.calls[0]
  // A stream is told while it comes.
  const over = x.calls.at(-1)?.endAt
  const made = over < x.told?.at ? over : undefined
  const line = x.isOver
    ? [x.firstByteMs && `first byte ${time(x.firstByteMs)}`, `${time(x.totalMs)} in all`]
    : ['still open']
  return strip(
    'time',
    line.filter(Boolean).join(', '),
    h(
      'div.fall',
      row('received', 0, x.readAt, 'one'),
      row('translated', x.readAt, first?.at, 'four'),
      ...x.calls.flatMap((call, index) => {
        const what = x.calls.length > 1 ? `${attemptName(x, index)}: ` : ''
        const found = call.connectedAt ?? call.at
        return [
          row(`${what}connected`, call.at, call.connectedAt, 'two'),
          row(
            `${what}${call.status === undefined ? (call.failure ?? 'no answer') : `head, ${call.status}`}`,
            found,
            call.headAt ?? call.endAt,
            'two',
          ),
          row(`${what}reply`, call.headAt, call.endAt ?? x.told?.endAt, 'one'),
        ]
      }),
      row('answer made', made, x.told?.at, 'four'),
      row('told', x.told?.firstAt ?? x.told?.at, x.told?.endAt, 'three'),
    ),
  )
}

export function tokens(x) {
  const { usage } = x
  if (!usage)
    return strip('tokens', x.isOver ? 'No tokens were counted' : 'Tokens are counted at the end')
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning = 0 } = usage
  const parts = [
    ['input', Math.max(0, input - cacheRead - cacheWrite), 'one'],
    ['read from the cache', cacheRead, 'three'],
    ['written to the cache', cacheWrite, 'four'],
    [reasoning ? `output (${count(reasoning)} of it thoughts)` : 'output', output, 'two'],
  ].filter(([, n]) => n > 0)
  const all = input + output || 1
  const share = input ? `, ${Math.round((100 * cacheRead) / input)} % of the input cached` : ''
  const cost = x.cost === undefined ? '; what they cost is not known' : `, ${money(x.cost)}`
  return strip(
    'tokens',
    `${plural(all, 'token')}${share}${cost}`,
    el(
      'div.stack',
      { role: 'img', 'aria-label': parts.map(([name, n]) => `${name} ${n}`).join(', ') },
      ...parts.map(([, n, kind]) => {
        const bar = el('span', { class: kind })
        bar.style.width = `${(100 * n) / all}%`
        return bar
      }),
    ),
    h(
      'div.legend',
      ...parts.map(([name, n, kind]) => h('span', el('i', { class: kind }), `${name} ${count(n)}`)),
    ),
  )
}
