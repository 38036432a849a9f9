import { copied } from './copy.js'
import { action, h } from './dom.js'
import { streamTable } from './stream.js'
import { parsed, tree } from './tree.js'
import { plural, size } from './words.js'

/** Those of the exchange that is looked at. */
export const panes = []

export function pane(title, headers, body, type, { marks = new Map(), line, at }) {
  const value = parsedBody(body, type)
  const views = viewsOf(body, type, value)
  const content = h('div', { class: 'content' })
  const find = h('input', {
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
        : h('pre', {}, body.text ?? `${size(body.size)} that are no text`)
    content.replaceChildren(
      ...(view === 'events' ? streamTable(body, type, at, marks) : [bodyOf(title, shown())]),
    )
  }
  const buttons = views.map((view) =>
    h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => show(view) }, view),
  )
  const section = h(
    'section',
    { 'aria-label': title, tabIndex: -1 },
    h(
      'div',
      { class: 'bar' },
      h('h3', {}, title),
      find,
      ...buttons,
      action('copy', () => copied(title, body.text ?? '')),
    ),
    sizeLine(body, line),
    headerList(headers ?? []),
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

const parsedBody = (body, type) =>
  body.text === undefined || isStream(body, type) ? undefined : parsed(body.text)

const viewsOf = (body, type, value) => [
  ...(isStream(body, type) ? ['events'] : []),
  ...(value ? ['tree'] : []),
  'raw',
]

const bodyOf = (title, shown) =>
  h(
    'div',
    { class: 'body tree', tabIndex: 0, role: 'group', 'aria-label': `${title}, body` },
    shown,
  )

const sizeLine = (body, line) =>
  h(
    'p',
    { class: 'soft' },
    [line, size(body.size), body.cut && 'cut: the rest was not kept'].filter(Boolean).join(', '),
  )

const headerList = (headers) =>
  h(
    'details',
    {},
    h('summary', {}, plural(headers.length, 'header')),
    h('pre', {}, headers.map(([name, each]) => `${name}: ${each}`).join('\n')),
  )

function unfold(branch) {
  if (branch.open) return
  branch.open = true
  branch.dispatchEvent(new Event('toggle'))
}

function seek(content, word) {
  for (const each of content.querySelectorAll('.found')) each.classList.remove('found')
  if (word.length < 2) return
  const lower = word.toLowerCase()
  const walk = (element) => {
    if (element.tagName === 'DETAILS') unfold(element)
    for (const child of element.children) walk(child)
  }
  walk(content)
  const hits = [...content.querySelectorAll('.leaf, summary, pre')].filter((each) =>
    each.textContent.toLowerCase().includes(lower),
  )
  hits.slice(0, 500).forEach((each) => each.classList.add('found'))
  hits[0]?.scrollIntoView({ block: 'nearest' })
}
