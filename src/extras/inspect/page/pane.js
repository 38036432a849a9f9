import { copied } from './copy.js'
import { action, h, el, scroller } from './dom.js'
import { streamTable } from './stream.js'
import { isLeaf, parsed, tree } from './tree.js'
import { plural, size } from './words.js'

/** Those of the exchange that is looked at. */
export const panes = []

export function pane(title, headers, body, type, { marks = new Map(), line } = {}) {
  const value = parsed(body.text)
  const views = viewsOf(body, type, value)
  const content = h('div.content')
  const find = el('input', {
    type: 'search',
    placeholder: 'find',
    'aria-label': `find in ${title}`,
    size: 8,
    oninput: () => seek(content, find.value),
  })
  const show = (view) => {
    for (const each of buttons) each.setAttribute('aria-pressed', String(each.textContent === view))
    find.hidden = view === 'events'
    const shown = () =>
      view === 'tree'
        ? tree(value.value, marks)
        : h('pre', body.text ?? `${size(body.size)} that are no text`)
    content.replaceChildren(
      ...(view === 'events' ? streamTable(body, type, marks) : [bodyOf(title, shown())]),
    )
  }
  const buttons = views.map((view) => action(view, () => show(view)))
  const section = el(
    'section',
    { 'aria-label': title, tabIndex: -1 },
    h(
      'div.bar',
      h('h3', title),
      find,
      ...buttons,
      action('copy', () => copied(title, body.text ?? '')),
    ),
    headerList(headers ?? [], sizeLine(body, line)),
    content,
  )
  show(views[0])
  panes.push({
    title,
    section,
    redraw: () => {
      if (views[0] === 'tree' || marks.size > 0) show(views[0])
    },
  })
  return section
}

const isStream = (body, type) =>
  Boolean(body.marks?.length) && (/event-stream/.test(type ?? '') || body.marks.length > 1)

function viewsOf(body, type, value) {
  const events = isStream(body, type) ? ['events'] : []
  const whole = value ? ['tree'] : []
  // What came in pieces and is no list is a body that was long.
  const first = value && !Array.isArray(value.value) ? [whole, events] : [events, whole]
  return [...first.flat(), 'raw']
}

const bodyOf = (title, shown) => scroller('div.body.tree', `${title}, body`, shown)

const sizeLine = (body, line) =>
  [line, size(body.size), body.cut && 'cut: the rest was not kept'].filter(Boolean).join(', ')

const headerList = (headers, line) =>
  h(
    'details.soft',
    h('summary', `${line}, ${plural(headers.length, 'header')}`),
    h('pre', headers.map(([name, each]) => `${name}: ${each}`).join('\n')),
  )

/** Whether a word stands in a value, in its keys too. */
function holds(value, word) {
  const left = [value]
  for (const each of left) {
    if (isLeaf(each)) {
      if (JSON.stringify(each).toLowerCase().includes(word)) return true
    } else for (const member of Object.entries(each)) left.push(...member)
  }
  return false
}

const MOST_FOUND = 500

function seek(content, word) {
  for (const each of content.querySelectorAll('.found')) each.classList.remove('found')
  if (word.length < 2) return
  const lower = word.toLowerCase()
  const hits = []
  const walk = (element) => {
    if (hits.length >= MOST_FOUND) return
    if (element.matches('.leaf, summary, pre')) {
      if (element.textContent.toLowerCase().includes(lower)) hits.push(element)
      return
    }
    if (element.value && !element.open && holds(element.value, lower)) {
      element.open = true
      element.dispatchEvent(new Event('toggle'))
    }
    for (const child of element.children) walk(child)
  }
  walk(content)
  for (const each of hits) each.classList.add('found')
  hits[0]?.scrollIntoView({ block: 'nearest' })
}
