import { byId, h, el } from './dom.js'
import { rows, state } from './state.js'
import { count, isBad, modelOf, money, plural, statusOf, time, wayOf } from './words.js'

const shownRows = new Map()

const COLUMNS = [
  ['#', 'number', (row) => row.number],
  ['time', 'wide', (row) => new Date(row.startedAt).toLocaleTimeString('en-GB')],
  [
    'from → to',
    '',
    (row) =>
      `${wayOf(row)}${row.member && row.member !== row.upstreamDialect ? ` (${row.member})` : ''}`,
  ],
  ['model', 'wide', (row) => modelOf(row)],
  ['status', '', (row) => statusOf(row)],
  ['first', 'number wide', (row) => time(row.firstByteMs)],
  ['total', 'number', (row) => (row.isOver ? time(row.totalMs) : '…')],
  [
    'in (cached)',
    'number wide',
    ({ usage }) =>
      usage &&
      `${count(usage.input ?? 0)}${usage.cacheRead ? ` (${Math.round((100 * usage.cacheRead) / Math.max(1, usage.input))} %)` : ''}`,
  ],
  ['out', 'number wide', ({ usage }) => usage && count(usage.output)],
  ['cost', 'number wide', ({ cost }) => money(cost)],
  ['losses', 'number', ({ losses }) => (losses?.length ? `⚠ ${losses.length}` : '')],
  ['calls', 'number wide', ({ attempts }) => (attempts > 1 ? attempts : '')],
]

function matches(row) {
  const words = byId('filter').value.trim().toLowerCase().split(/\s+/).filter(Boolean)
  return words.every((word) => {
    const [, name, value] =
      /^(status|dialect|loss|model|upstream|session|path):(.*)$/.exec(word) ?? []
    if (!name) return JSON.stringify(row).toLowerCase().includes(word)
    if (name === 'status')
      return new RegExp(`^${value.replace(/[^\dx]/g, '').replaceAll('x', '\\d')}`).test(row.status)
    const told = {
      dialect: [row.dialect, row.upstreamDialect],
      loss: row.losses,
      model: [row.model, row.sentModel],
      upstream: [row.upstream, row.member],
      session: [row.session],
      path: [row.url],
    }[name]
    return JSON.stringify(told).toLowerCase().includes(value)
  })
}

function lineOf(row) {
  const cells = COLUMNS.map(([, kind, show], at) =>
    at === 0
      ? el(
          'th',
          { scope: 'row', class: kind },
          el('button', { tabIndex: -1, 'aria-label': `exchange ${row.number}` }, row.number),
        )
      : el(
          'td',
          {
            class: `${kind}${at === 4 ? (isBad(row) ? ' bad' : ' good') : ''}${at === 10 ? ' warn' : ''}`,
          },
          show(row) ?? '',
        ),
  )
  const line = h('tr', ...cells)
  line.dataset.number = row.number
  if (row.number === state.picked) line.dataset.picked = ''
  return line
}

export function renderList() {
  if (state.paused) return void (state.waiting = true)
  const list = byId('list')
  if (rows.size === 0) {
    shownRows.clear()
    list.replaceChildren(emptyList())
    return tell()
  }
  let body = list.querySelector('tbody')
  if (!body) {
    body = h('tbody')
    const head = h(
      'thead',
      h('tr', ...COLUMNS.map(([name, kind]) => el('th', { scope: 'col', class: kind }, name))),
    )
    list.replaceChildren(el('table', { 'aria-label': 'exchanges, the newest first' }, head, body))
    shownRows.clear()
  }
  const held = document.activeElement?.closest?.('tr')?.dataset.number
  let before = null
  for (const row of rows.values()) {
    const known = shownRows.get(row.number)
    if (!matches(row)) {
      known?.line.remove()
      shownRows.delete(row.number)
      continue
    }
    if (known?.row !== row) {
      const line = lineOf(row)
      if (known) known.line.replaceWith(line)
      else body.insertBefore(line, before)
      shownRows.set(row.number, { row, line })
    }
    before = shownRows.get(row.number).line
  }
  for (const [number, { line }] of shownRows)
    if (!rows.has(number)) {
      line.remove()
      shownRows.delete(number)
    }
  rove()
  if (held) body.querySelector(`tr[data-number="${held}"] button`)?.focus()
  tell()
}

/** One row of the list can be reached with Tab; arrows lead to the others. */
export function rove(target) {
  const buttons = [...document.querySelectorAll('#list tbody button')]
  const now =
    target ??
    buttons.find((each) => each.closest('tr').dataset.number === String(state.picked)) ??
    buttons[0]
  for (const each of buttons) each.tabIndex = each === now ? 0 : -1
  return buttons
}

function tell() {
  const open = [...rows.values()].filter((row) => !row.isOver).length
  const parts = [plural(rows.size, 'exchange'), ...(open ? [`${open} open`] : [])]
  if (shownRows.size < rows.size) parts.push(`${shownRows.size} shown`)
  if (state.paused) parts.push('paused')
  const text = parts.join(', ')
  if (byId('state').textContent !== text) byId('state').textContent = text
}

const emptyList = () =>
  h(
    'div.empty',
    h('h2', 'Nothing has passed yet'),
    h(
      'p',
      'Whatever a client asks the proxy is shown here: what came, what went upstream, what came back and what the client was told.',
    ),
    h(
      'p.soft',
      'Exchanges are kept in the memory of the process alone: the last 500, at most 32 MB. Keys are masked.',
    ),
  )

/** Marks the row of the exchange that is looked at. */
export function pick(number) {
  state.picked = number
  for (const { line } of shownRows.values()) delete line.dataset.picked
  const line = shownRows.get(number)?.line
  if (line) line.dataset.picked = ''
  rove()
}

export const pause = () => {
  state.paused = !state.paused
  byId('pause').setAttribute('aria-pressed', String(state.paused))
  if (!state.paused && state.waiting) {
    state.waiting = false
    renderList()
  } else tell()
}
