import { h, visible } from './dom.js'
import { bytesOf, size } from './words.js'

export const pointer = (path) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const LONG = 2000
function longText(text, kind) {
  if (text.length <= LONG) return h('span', { class: kind }, text)
  const whole = h('span', { class: kind }, `${text.slice(0, LONG)}…`)
  const more = h(
    'button',
    {
      type: 'button',
      onclick: () => {
        whole.textContent = visible(text)
        more.remove()
      },
    },
    `${size(bytesOf(text))}: all`,
  )
  return h('span', {}, whole, ' ', more)
}

const literal = (value) =>
  typeof value === 'string'
    ? longText(JSON.stringify(value), 'string')
    : h('span', { class: 'literal' }, String(value))

/** `marks`: pointers, with what stands there. Branches are made when they are opened. */
export function tree(value, marks = new Map(), path = [], key) {
  const at = pointer(path)
  const note = marks.get(at)
  const name = key === undefined ? '' : h('span', { class: 'key' }, `${key}:`)
  const before = [
    note ? h('mark', { class: note.kind, title: note.text }, name || '(all)') : name,
    ' ',
  ]
  const after = note ? h('span', { class: 'note' }, ` ${note.text}`) : ''
  if (typeof value !== 'object' || value === null)
    return h('div', { class: 'leaf', 'data-at': at }, ...before, literal(value), after)
  const list = Array.isArray(value)
  const members = Object.entries(value)
  const inside = [...marks.keys()].some((each) => each.startsWith(`${at}/`))
  const opened = inside || path.length < 1 || (path.length < 3 && members.length < 12)
  const children = h('div')
  const fill = () => {
    if (children.childNodes.length === 0)
      children.append(
        ...members.map(([name, each]) =>
          tree(each, marks, [...path, name], list ? Number(name) : name),
        ),
      )
  }
  if (opened) fill()
  const hint = list
    ? `[${members.length}]`
    : `{${members
        .slice(0, 4)
        .map(([name]) => name)
        .join(', ')}${members.length > 4 ? ', …' : ''}}`
  const type =
    !list && typeof value.type === 'string'
      ? ` ${value.type}`
      : !list && typeof value.role === 'string'
        ? ` ${value.role}`
        : ''
  return h(
    'details',
    { open: opened, 'data-at': at, ontoggle: fill },
    h('summary', {}, ...before, h('span', { class: 'soft' }, hint + type), after),
    children,
  )
}

export function parsed(text) {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
