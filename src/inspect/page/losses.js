import { byId, h } from './dom.js'
import { panes } from './pane.js'
import { asked } from './proxy.js'
import { state } from './state.js'
import { plural } from './words.js'

export function losses(x, marks) {
  const title = x.losses.length
    ? `⚠ ${plural(x.losses.length, 'loss', 'losses')}`
    : 'Nothing was lost'
  const lines = x.losses.map((loss) => {
    const places = h('span', { class: 'soft' })
    const line = h(
      'li',
      {},
      h('strong', { class: 'warn' }, loss.code),
      h('code', {}, loss.path),
      h('span', { class: 'soft' }, loss.detail ?? ''),
      places,
    )
    return { loss, line, places }
  })
  const carried = h('p', { class: 'soft' })
  if (x.upstream && (x.losses.length || x.dialect !== x.upstreamDialect))
    place(x, lines, marks, carried).catch(() => undefined)
  return h(
    'section',
    { class: 'box', 'aria-label': 'losses' },
    h('h3', {}, title),
    h('ul', { class: 'losses' }, ...lines.map(({ line }) => line)),
    carried,
  )
}

/** Asks where in both bodies the losses stand, and marks them there. */
async function place(x, lines, marks, carried) {
  const told = await asked(`/explain/${x.number}`, { upstream: x.upstream, model: x.sentModel })
  if (!told?.losses || state.shown !== x) return
  const mark = (side, at, kind, text) => at !== undefined && marks[side].set(at, { kind, text })
  for (const { path, field, sentAt } of told.proofs ?? []) {
    mark('came', field, 'proof', `proof: ${path}`)
    mark('went', sentAt, 'proof', `proof: ${path}`)
  }
  for (const { loss, places } of lines) {
    const isIt = ({ code, path }) => code === loss.code && path === loss.path
    const replied = told.replied?.find(isIt)
    mark('back', replied?.field, 'loss', `⚠ ${loss.code} ${loss.path}`)
    if (replied) show(places, `${replied.field} of the reply`, { 'what came back': replied.field })
    const found = told.losses.find(isIt)
    if (!found) continue
    const { field, sentAt } = found
    mark('came', field, 'loss', `⚠ ${loss.code} ${loss.path}`)
    mark('went', sentAt, 'loss', `⚠ ${loss.code} ${loss.path}`)
    if (field === undefined && sentAt === undefined) continue
    const where = [field ?? 'was not said', sentAt ?? 'is not sent'].join(' → ')
    show(places, where, { 'what came': field, 'what went': sentAt })
  }
  const proofs = told.proofs?.length ?? 0
  if (proofs)
    carried.textContent = `${plural(proofs, 'proof')} of reasoning carried: underlined in green.`
  for (const each of panes) each.redraw()
}

const show = (places, where, panesAt) =>
  places.replaceChildren(
    h('code', {}, where),
    ' ',
    h('button', { type: 'button', onclick: () => lead(panesAt) }, 'show'),
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
