import { action, byId, h, el } from './dom.js'
import { panes } from './pane.js'
import { asked } from './proxy.js'
import { state } from './state.js'
import { plural } from './words.js'

const CUT = 'Where they stand is not known: what came was not kept whole.'

export function losses(x, marks) {
  const title = x.losses.length
    ? `⚠ ${plural(x.losses.length, 'loss', 'losses')}`
    : x.isOver
      ? 'Nothing was lost'
      : 'Losses are told at the end'
  const lines = x.losses.map((loss) => {
    const places = h('span.soft')
    const line = h(
      'li',
      h('strong.warn', loss.code),
      h('code', loss.path),
      h('span.soft', loss.detail ?? ''),
      places,
    )
    return { loss, line, places }
  })
  const carried = h('p.soft', x.came.body.cut && x.losses.length ? CUT : '')
  if (x.upstream && (x.losses.length || x.dialect !== x.upstreamDialect))
    place(x, lines, marks, carried).catch(() => undefined)
  return el(
    'section.box',
    { 'aria-label': 'losses' },
    h('h3', title),
    h('ul.losses', ...lines.map(({ line }) => line)),
    carried,
  )
}

/** Asks where in both bodies the losses stand, and marks them there. */
async function place(x, lines, marks, carried) {
  const told = await asked(`/explain/${x.number}`, { upstream: x.upstream, model: x.sentModel })
  if (!told?.losses || state.shown !== x) return
  const mark = (side, at, kind, text) => {
    if (at === undefined) return
    const before = marks[side].get(at)
    const isMore = before && !before.text.includes(text)
    marks[side].set(at, { kind, text: isMore ? `${before.text}; ${text}` : text })
  }
  for (const { path, sentAt, ...came } of told.proofs ?? []) {
    mark('came', ownPlace(came), 'proof', `proof: ${path}`)
    mark('went', sentAt, 'proof', `proof: ${path}`)
  }
  for (const { loss, places } of lines) {
    const isIt = ({ code, path }) => code === loss.code && path === loss.path
    const text = `⚠ ${loss.code} ${loss.path}`
    const replied = told.replied?.find(isIt)
    if (replied) {
      const { event, field = '' } = replied
      const at = event ? `#${event}` : field
      mark('back', at, 'loss', text)
      if (event && field) mark('back', at + field, 'loss', text)
      const where = event ? `event ${event}${field && `, ${field}`}` : field
      show(places, `${where} of the reply`, { 'what came back': at })
    }
    const found = told.losses.find(isIt)
    if (!found) continue
    const { field, stored, storedAt, sentAt } = found
    const came = ownPlace(found)
    mark('came', came, 'loss', text)
    mark('went', sentAt, 'loss', text)
    if (came === undefined && sentAt === undefined) continue
    const from = stored ? `${storedAt} of ${stored}` : (field ?? 'was not said')
    const where = `${from} → ${sentAt ?? 'is not sent'}`
    show(places, where, { 'what came': came, 'what went': sentAt })
  }
  const proofs = told.proofs?.length ?? 0
  if (proofs)
    carried.textContent = `${plural(proofs, 'proof')} of reasoning carried: underlined in green.`
  for (const each of panes) each.redraw()
}

/** What a stored response brought stands in the caller's body as its name. */
const ownPlace = ({ field, stored }) => (stored ? '/previous_response_id' : field)

const show = (places, where, panesAt) =>
  places.replaceChildren(
    h('code', where),
    ' ',
    action('show', () => lead(panesAt)),
  )

/** Scrolls panes to a place of theirs. */
function lead(panesAt) {
  const found = Object.entries(panesAt).map(([title, at]) => {
    const holder = byId('detail').querySelector(`section[aria-label="${title}"] .content`)
    return (
      at &&
      [...(holder?.querySelectorAll('mark') ?? [])].find(
        (each) => each.closest('[data-at]').dataset.at === at,
      )
    )
  })
  for (const each of document.querySelectorAll('.found')) each.classList.remove('found')
  for (const each of found) {
    each?.classList.add('found')
    each?.scrollIntoView({ block: 'center' })
  }
  const first = found.find(Boolean)
  first?.closest('.body').focus({ preventScroll: true })
}
