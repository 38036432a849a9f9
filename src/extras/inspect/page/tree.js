import { action, h, el, visible } from './dom.js'
import { bytesOf, plural, size } from './words.js'

export const pointer = (path) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const LONG = 2000
function longText(text, kind) {
  if (text.length <= LONG) return el('span', { class: kind }, text)
  const whole = el('span', { class: kind }, `${text.slice(0, LONG)}…`)
  const more = action(`${size(bytesOf(text))}: all`, () => {
    whole.textContent = visible(text)
    more.remove()
  })
  return h('span', whole, ' ', more)
}

/** A number whose digits are not all kept by one of JavaScript stays the text that it was. */
export const isLeaf = (value) =>
  typeof value !== 'object' || value === null || JSON.isRawJSON?.(value)

const literal = (value) =>
  longText(JSON.stringify(value), typeof value === 'string' ? 'string' : 'literal')

/** How many members of a list or an object are shown, but for those that are marked. */
const MOST = 1000

/** `marks`: pointers, with what stands there. Branches are made when they are opened. */
export function tree(value, marks = new Map(), path = [], key) {
  const at = pointer(path)
  const note = marks.get(at)
  const name = key === undefined ? '' : h('span.key', `${key}:`)
  const before = [
    note ? el('mark', { class: note.kind, title: note.text }, name || '(all)') : name,
    ' ',
  ]
  const after = note ? h('span.note', ` ${note.text}`) : ''
  if (isLeaf(value)) return el('div.leaf', { 'data-at': at }, ...before, literal(value), after)
  const list = Array.isArray(value)
  const members = Object.entries(value)
  const under = [...marks.keys()].filter((each) => each.startsWith(`${at}/`))
  const marked = new Set(under.map((each) => each.slice(at.length + 1).split('/')[0]))
  const shown = members.filter(([name], index) => index < MOST || marked.has(name))
  const more = members.length - shown.length
  const opened = marked.size > 0 || path.length < 1 || (path.length < 3 && members.length < 12)
  const children = h('div')
  const fill = () => {
    if (children.childNodes.length === 0)
      children.append(
        ...shown.map(([name, each]) =>
          tree(each, marks, [...path, name], list ? Number(name) : name),
        ),
        more
          ? h('div.leaf.soft', `${plural(more, list ? 'more value' : 'more field')}: see raw`)
          : '',
      )
  }
  if (opened) fill()
  const hint = list
    ? `[${members.length}]`
    : `{${members
        .slice(0, 4)
        .map(([name]) => name)
        .join(', ')}${members.length > 4 ? ', …' : ''}}`
  const kind = [value.type, value.role].find((each) => typeof each === 'string')
  const branch = el(
    'details',
    { open: opened, 'data-at': at, ontoggle: fill },
    h('summary', ...before, h('span.soft', kind ? `${hint} ${kind}` : hint), after),
    children,
  )
  branch.value = value
  return branch
}

const asSpelled = (_, value, { source } = {}) =>
  typeof value === 'number' && source !== String(value) ? (JSON.rawJSON?.(source) ?? value) : value

export function parsed(text) {
  try {
    return { value: JSON.parse(text, asSpelled) }
  } catch {
    return undefined
  }
}
