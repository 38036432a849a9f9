import { action, byId, h, strip, visible } from './dom.js'
import { panes } from './pane.js'
import { asked } from './proxy.js'
import { state } from './state.js'
import { plural } from './words.js'

const CUT = 'Where they stand is not known: the client’s request was not kept whole.'

/** The caller's own word for what a pointer leads to: its last names. */
export function callerWord(field) {
  const names = field
    ?.split('/')
    .filter((name) => name && !/^\d+$/.test(name))
    .slice(-2)
  return names?.length ? names.join('.') : undefined
}

const KINDS = { harmless: 'soft', 'costs money': 'warn', 'changes the answer': 'bad' }
const ORDER = ['changes the answer', 'costs money', 'harmless']

/** Whether it matters. */
export const effectOf = (effect) =>
  effect ? h(`span.effect.${KINDS[effect] ?? 'soft'}`, effect) : ''

const BECAME = {
  dropped: 'has no place there',
  approximated: 'became what is nearest',
  defaulted: 'was filled in',
  reordered: 'stands in another order',
}

const gravest = (losses) =>
  losses.toSorted((one, other) => ORDER.indexOf(one.effect) - ORDER.indexOf(other.effect))

/** The caller's word first, then why, then whether it matters. */
export function losses(x, marks) {
  const title = x.losses.length
    ? `⚠ ${plural(x.losses.length, 'loss', 'losses')}${x.isOver ? '' : ' so far'}`
    : x.isOver
      ? 'Nothing was lost'
      : 'Losses are told at the end'
  const lines = gravest(x.losses).map((loss) => {
    const places = h('span.soft')
    const word = h('strong', loss.path)
    const line = h(
      'li',
      word,
      h('span.warn', loss.code),
      h('span', loss.detail ?? BECAME[loss.code]),
      effectOf(loss.effect),
      h('code.soft', loss.path),
      places,
    )
    return { loss, line, places, word }
  })
  const carried = h('p.soft', x.came.body.cut && x.losses.length ? CUT : '')
  if (x.upstream && x.isOver && (x.losses.length || x.dialect !== x.upstreamDialect))
    place(x, lines, marks, carried).catch(() => undefined)
  return strip('losses', title, h('ul.losses', ...lines.map(({ line }) => line)), carried)
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
    mark('came', ownPlace(came), 'proof', `signature of reasoning: ${path}`)
    mark('went', sentAt, 'proof', `signature of reasoning: ${path}`)
  }
  for (const { loss, places, word } of lines) {
    const isIt = ({ code, path }) => code === loss.code && path === loss.path
    const text = `⚠ ${loss.code} ${loss.path}`
    const replied = told.replied?.find(isIt)
    if (replied) {
      const { event, field = '' } = replied
      const at = event ? `#${event}` : field
      mark('back', at, 'loss', text)
      if (event && field) mark('back', at + field, 'loss', text)
      const where = event ? `event ${event}${field && `, ${field}`}` : field
      show(places, `${where} of the reply`, { 'upstream reply': at })
    }
    const found = told.losses.find(isIt)
    if (!found) continue
    const { field, stored, storedAt, sentAt } = found
    const came = ownPlace(found)
    word.textContent = visible(callerWord(field) ?? loss.path)
    mark('came', came, 'loss', text)
    mark('went', sentAt, 'loss', text)
    if (came === undefined && sentAt === undefined) continue
    const from = stored ? `${storedAt} of ${stored}` : (field ?? 'was not said')
    const where = `${from} → ${sentAt ?? 'is not sent'}`
    show(places, where, { 'client request': came, 'upstream request': sentAt })
  }
  const proofs = told.proofs?.length ?? 0
  if (proofs)
    carried.textContent = `${plural(proofs, 'signature')} of reasoning carried: underlined in green.`
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
