import { compare } from './compare.js'
import { copied, copiedCurl, replayOf } from './copy.js'
import { again } from './again.js'
import { action, byId, h, el } from './dom.js'
import { explain } from './explain.js'
import { pick } from './list.js'
import { losses } from './losses.js'
import { pane, panes } from './pane.js'
import { asked } from './proxy.js'
import { tokens, waterfall } from './spent.js'
import { talk } from './talk.js'
import { state } from './state.js'
import { attemptName, isBad, modelOf, statusOf, wayOf } from './words.js'

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

function renderDetail() {
  const x = state.shown
  const call = x.calls.at(-1)
  panes.length = 0
  const marks = { came: new Map(), went: new Map(), back: new Map() }
  const talks = action('conversation', () => {
    state.talks = !state.talks
    renderDetail()
  })
  talks.setAttribute('aria-pressed', String(state.talks))
  byId('detail').replaceChildren(
    h(
      'div.bar',
      el('h2', { tabIndex: -1, id: 'title' }, `${x.number}: ${x.method} ${x.url}`),
      talks,
      action('again', () => again(x)),
      action('explain', () => explain(x)),
      action('compare', () => compare(x)),
      action('curl', () => copiedCurl(x)),
      action('replay', () => copied('a line for npm run replay', replayOf(x, call))),
    ),
    facts(x),
    h('div.strip', losses(x, marks), waterfall(x), tokens(x)),
    state.talks ? talk(x) : bodies(x, call, marks),
    ...x.calls.slice(0, -1).map((call, index) => attempt(call, attemptName(x, index))),
  )
}

/** One line: what would be looked for first; the ids at its end. */
const facts = (x) =>
  h(
    'p.facts',
    ...[
      h(isBad(x) ? 'strong.bad' : 'strong.good', statusOf(x)),
      wayOf(x),
      x.member ?? x.upstream,
      modelOf(x),
      x.finish,
      x.error && h('span.bad', x.error),
      x.reason && h('span.bad', x.reason),
      x.caller && `caller ${x.caller}`,
      x.session && `session ${x.session}`,
      x.id && h('code.soft', x.id),
      x.upstreamRequestId && h('code.soft', x.upstreamRequestId),
    ]
      .filter(Boolean)
      .map((fact) => h('span', fact)),
  )

const bodies = (x, call, marks) =>
  h(
    'div.pair.panes',
    pane('client request', x.came.headers, x.came.body, x.came.type, { marks: marks.came }),
    call
      ? went(call, '', marks.went)
      : missing('upstream request', 'Nothing was sent to an upstream.'),
    call
      ? back(call, '', marks.back)
      : missing('upstream reply', 'Nothing was asked of an upstream.'),
    x.told
      ? pane('client reply', x.told.headers, x.told.body, x.told.type, {
          line: `status ${x.status}`,
        })
      : missing('client reply', 'Nothing yet.'),
  )

const attempt = (call, name) =>
  h(
    'details',
    h('summary', `${name}: ${call.status ?? call.failure ?? 'no answer'}`),
    h('div.pair.panes', went(call, `, ${name}`), back(call, `, ${name}`)),
  )

const went = (call, which, marks) =>
  pane(`upstream request${which}`, call.headers, call.body, 'application/json', {
    marks,
    line: `${call.method} ${call.url}`,
  })
const back = (call, which, marks) =>
  call.status === undefined
    ? missing(`upstream reply${which}`, call.failure ?? 'Nothing has come back yet.')
    : pane(`upstream reply${which}`, call.repliedHeaders, call.reply, call.repliedType, {
        marks,
        line: `status ${call.status}`,
      })

const missing = (title, why) =>
  el('section', { 'aria-label': title, tabIndex: -1 }, h('h3', title), h('p.soft', why))
