import { copiedCurl } from './copy.js'
import { byId, dialog, h } from './dom.js'
import { group, pause, rove } from './list.js'
import { state } from './state.js'

const KEYS = [
  ['j k ↓ ↑', 'the next or the previous exchange'],
  ['Enter', 'open it'],
  ['/', 'filter; words and status:4xx dialect: loss: model: upstream: session: path: body:'],
  ['1 2 3 4', 'client request, upstream request, upstream reply, client reply'],
  ['t', 'the conversation, or the bodies'],
  ['s', 'sessions together'],
  ['c', 'curl'],
  ['p', 'pause'],
  ['Esc', 'close, back to the list'],
]
export const help = () =>
  dialog(
    'keys',
    h(
      'dl',
      ...KEYS.map(([keys, means]) =>
        h(
          'div',
          h('dt', ...keys.split(' ').flatMap((key) => [h('kbd', key), ' '])),
          h('dd', means),
        ),
      ),
    ),
  )

function move(by) {
  const buttons = rove()
  const now = buttons.indexOf(document.activeElement)
  const target = buttons[Math.min(buttons.length - 1, Math.max(0, now < 0 ? 0 : now + by))]
  if (!target) return
  rove(target)
  target.focus()
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('dialog').open) return
  const { target, key } = event
  if (target.matches('input, select, textarea')) {
    if (key !== 'Escape') return
    // A browser empties the field by itself, and those that listen to it would not hear of it.
    event.preventDefault()
    if (target.type === 'search') {
      target.value = ''
      target.dispatchEvent(new Event('input'))
    }
    return target.blur()
  }
  const inList = target.closest('#list') || target === document.body
  const act = {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: inList && (() => move(1)),
    ArrowUp: inList && (() => move(-1)),
    '/': () => byId('filter').focus(),
    '?': help,
    p: pause,
    s: group,
    t:
      state.shown &&
      (() =>
        [...document.querySelectorAll('#detail > .bar button')]
          .find(({ textContent }) => textContent === 'conversation')
          ?.click()),
    c: state.shown && (() => copiedCurl(state.shown)),
    Escape: () =>
      rove()
        .find((each) => each.tabIndex === 0)
        ?.focus(),
  }[key]
  const at = Number(key)
  const titles = ['client request', 'upstream request', 'upstream reply', 'client reply']
  const section =
    at >= 1 && at <= 4
      ? byId('detail').querySelector(`section[aria-label="${titles[at - 1]}"]`)
      : undefined
  if (!act && !section) return
  event.preventDefault()
  if (act) act()
  else {
    section.focus()
    section.scrollIntoView({ block: 'nearest' })
  }
})
