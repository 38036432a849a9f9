import { compare } from './compare.js'
import { copied, copiedCurl, replayOf } from './copy.js'
import { action, byId, h, el } from './dom.js'
import { explain } from './explain.js'
import { pick } from './list.js'
import { losses } from './losses.js'
import { pane, panes } from './pane.js'
import { asked } from './proxy.js'
import { tokens, waterfall } from './spent.js'
import { state } from './state.js'
import { attemptName, modelOf, statusOf, time, wayOf } from './words.js'

export async function open(number) {
  pick(number)
  const told = await asked(`/exchange/${number}`).catch((error) => error)
  // Another one may have been picked in the meantime.
  if (state.picked !== number) return
  state.shown = told.number && told
  if (told.number) return renderDetail()
  const why = `This exchange is not kept any more (${told.message}).`
  byId('detail').replaceChildren(h('p.bad', why))
}

const fact = (name, value) =>
  value === undefined || value === '' ? [] : [h('div', h('dt', name), h('dd', value))]

function renderDetail() {
  const x = state.shown
  const call = x.calls.at(-1)
  panes.length = 0
  const marks = { came: new Map(), went: new Map(), back: new Map() }
  byId('detail').replaceChildren(
    h(
      'div.bar',
      el('h2', { tabIndex: -1, id: 'title' }, `${x.number}: ${x.method} ${x.url}`),
      action('curl', () => copiedCurl(x)),
      action('replay', () => copied('a line for npm run replay', replayOf(x, call))),
      action('explain', () => explain(x)),
      action('compare', () => compare(x)),
    ),
    facts(x),
    h('div.pair', waterfall(x), tokens(x)),
    losses(x, marks),
    bodies(x, call, marks),
    ...x.calls.slice(0, -1).map((call, index) => attempt(call, attemptName(x, index))),
  )
}

const facts = (x) =>
  h(
    'dl',
    fact('from → to', wayOf(x)),
    fact('upstream', x.member ?? x.upstream),
    fact('model', modelOf(x)),
    fact('status', statusOf(x)),
    fact('what the caller was told', x.error),
    fact('why', x.reason),
    fact('finish', x.finish),
    fact(
      'first byte, total',
      x.isOver ? [time(x.firstByteMs), time(x.totalMs)].filter(Boolean).join(', ') : 'still open',
    ),
    fact('session', x.session),
    fact('caller', x.caller),
    fact('id', x.id),
    fact('the upstream’s id', x.upstreamRequestId),
  )

const bodies = (x, call, marks) =>
  h(
    'div.pair.panes',
    pane('what came', x.came.headers, x.came.body, x.came.type, { marks: marks.came }),
    call ? went(call, '', marks.went) : missing('what went', 'Nothing was sent to an upstream.'),
    call
      ? back(call, '', marks.back)
      : missing('what came back', 'Nothing was asked of an upstream.'),
    x.told
      ? pane('what was told', x.told.headers, x.told.body, x.told.type, {
          line: `status ${x.status}`,
        })
      : missing('what was told', 'Nothing yet.'),
  )

const attempt = (call, name) =>
  h(
    'details',
    h('summary', `${name}: ${call.status ?? call.failure ?? 'no answer'}`),
    h('div.pair.panes', went(call, `, ${name}`), back(call, `, ${name}`)),
  )

const went = (call, which, marks) =>
  pane(`what went${which}`, call.headers, call.body, 'application/json', {
    marks,
    line: `${call.method} ${call.url}`,
  })
const back = (call, which, marks) =>
  call.status === undefined
    ? missing(`what came back${which}`, call.failure ?? 'Nothing has come back yet.')
    : pane(`what came back${which}`, call.repliedHeaders, call.reply, call.repliedType, {
        marks,
        line: `status ${call.status}`,
      })

const missing = (title, why) =>
  el('section', { 'aria-label': title, tabIndex: -1 }, h('h3', title), h('p.soft', why))
