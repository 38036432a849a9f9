import { emptyList } from './empty.js'
import { byId, h, el } from './dom.js'
import { isSearch, matches, searchBodies } from './filter.js'
import { rows, state } from './state.js'
import { count, isBad, modelOf, money, plural, statusOf, time, wayOf } from './words.js'

const shownRows = new Map()

const COLUMNS = [
  ['#', 'number', (row) => row.number],
  ['time', 'wide', (row) => new Date(row.startedAt).toLocaleTimeString('en-GB')],
  [
    'from → to',
    '',
    (row) => [
      h('span.said-last', row.words),
      h(
        'span.way',
        `${wayOf(row)}${row.member && row.member !== row.upstreamDialect ? ` (${row.member})` : ''}`,
      ),
    ],
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
  ['last words', 'wide words', ({ words }) => words],
]

const [STATUS, LOSSES] = ['status', 'losses'].map((name) =>
  COLUMNS.findIndex(([each]) => each === name),
)

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
            class: `${kind}${at === STATUS ? (isBad(row) ? ' bad' : ' good') : ''}${at === LOSSES ? ' warn' : ''}`,
          },
          show(row) ?? '',
        ),
  )
  const line = h('tr', ...cells)
  line.dataset.number = row.number
  if (row.number === state.picked) line.dataset.picked = ''
  return line
}

/** The filter in words, and what is searched in bodies, for which the proxy is asked first. */
export async function filterChanged() {
  const { value } = byId('filter')
  if (isSearch(value)) {
    byId('state').textContent = 'searching the bodies …'
    await searchBodies(value).catch(() => undefined)
    if (byId('filter').value !== value) return
  }
  renderList()
}

/** What the filter lets through, the oldest first; with sessions together, the one that was used last at the end. */
export function shownOrder() {
  const text = byId('filter').value
  const shown = [...rows.values()].filter((row) => matches(row, text))
  if (!state.grouped) return shown
  const sessions = new Map()
  for (const row of shown) {
    const name = row.session ?? `${row.number}`
    const before = sessions.get(name) ?? []
    sessions.delete(name)
    sessions.set(name, [...before, row])
  }
  return [...sessions.values()].flat()
}

export function renderList() {
  if (state.paused) return void (state.waiting = true)
  const list = byId('list')
  if (rows.size === 0) {
    shownRows.clear()
    list.replaceChildren(emptyList())
    return tell()
  }
  const body = list.querySelector('tbody') ?? newTable(list)
  const held = document.activeElement?.closest?.('tr')?.dataset.number
  const order = shownOrder()
  const kept = new Set(order.map(({ number }) => number))
  for (const [number, { line }] of shownRows)
    if (!kept.has(number)) {
      line.remove()
      shownRows.delete(number)
    }
  let before = null
  for (const row of order) {
    const line = lineFor(row)
    if (line.nextSibling !== before || line.parentNode !== body) body.insertBefore(line, before)
    before = line
  }
  markSessions(order)
  rove()
  if (held) body.querySelector(`tr[data-number="${held}"] button`)?.focus()
  tell()
}

function newTable(list) {
  const body = h('tbody')
  const head = h(
    'thead',
    h('tr', ...COLUMNS.map(([name, kind]) => el('th', { scope: 'col', class: kind }, name))),
  )
  list.replaceChildren(el('table', { 'aria-label': 'exchanges, the newest first' }, head, body))
  shownRows.clear()
  return body
}

function lineFor(row) {
  const known = shownRows.get(row.number)
  if (known?.row === row) return known.line
  const line = lineOf(row)
  known?.line.replaceWith(line)
  shownRows.set(row.number, { row, line })
  return line
}

/** A line above the newest exchange of each session. */
function markSessions(order) {
  order.forEach((row, index) => {
    const { line } = shownRows.get(row.number)
    const isLast = order[index + 1]?.session !== row.session
    if (state.grouped && row.session && isLast) line.dataset.session = row.session
    else delete line.dataset.session
  })
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
  const shown = [...shownRows.values()].map(({ row }) => row)
  const sum = (of) => shown.reduce((total, row) => total + (of(row) ?? 0), 0)
  const tokens = sum(({ usage }) => (usage?.input ?? 0) + (usage?.output ?? 0))
  if (tokens) parts.push(plural(tokens, 'token'))
  const cost = sum((row) => row.cost)
  if (cost) parts.push(money(cost))
  if (state.paused) parts.push('paused')
  const text = parts.join(', ')
  if (byId('state').textContent !== text) byId('state').textContent = text
}

/** Marks the row of the exchange that is looked at. */
export function pick(number) {
  state.picked = number
  for (const { line } of shownRows.values()) delete line.dataset.picked
  const line = shownRows.get(number)?.line
  if (line) line.dataset.picked = ''
  rove()
}

const pressed = (id, is) => byId(id).setAttribute('aria-pressed', String(is))

export const group = () => {
  state.grouped = !state.grouped
  pressed('group', state.grouped)
  renderList()
}

export const pause = () => {
  state.paused = !state.paused
  pressed('pause', state.paused)
  if (!state.paused && state.waiting) {
    state.waiting = false
    renderList()
  } else tell()
}
