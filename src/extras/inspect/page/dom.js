// Everything a model or a caller says is hostile here: it becomes text nodes, and nothing else.

export const byId = (id) => document.getElementById(id)

/** Letters that change what stands around them, or cannot be seen: models are told things in such. */
const HIDDEN =
  /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu
export const escaped = (letter) => {
  const code = letter.codePointAt(0).toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
/** What is no text is said as JSON: an object may have a `toString` that is none. */
export const visible = (text) =>
  (typeof text === 'object' ? JSON.stringify(text) : String(text)).replace(HIDDEN, escaped)

/** An element, as `p.soft`, with children: elements made here, and text. */
export const h = (kind, ...children) => el(kind, {}, ...children)

/** The same with properties, handlers (`onclick`), `data-` and `aria-` names, all of them written in this source. */
export function el(kind, props, ...children) {
  const [tag, ...classes] = kind.split('.')
  const element = document.createElement(tag)
  if (classes.length > 0) element.className = classes.join(' ')
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'class') element.className = value
    else if (name in element && !name.includes('-')) element[name] = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(
    ...children
      .flat(2)
      .filter((child) => child || child === 0)
      .map(node),
  )
  return element
}
const node = (child) => (child instanceof Node ? child : document.createTextNode(visible(child)))

export const action = (name, run) => {
  const onclick = async () => {
    try {
      await run()
    } catch ({ message }) {
      dialog(name, h('p.bad', `The proxy does not tell it (${message}).`))
    }
  }
  return el('button', { onclick }, name)
}

/** What scrolls, and so has to be reached by keys. */
export const scroller = (kind, label, ...children) =>
  el(kind, { tabIndex: 0, role: 'group', 'aria-label': label }, ...children)

export function dialog(title, ...children) {
  byId('dialog-title').textContent = title
  byId('dialog-body').replaceChildren(...children)
  if (!byId('dialog').open) byId('dialog').showModal()
}

/** A part of the strip above the bodies: one line, which opens. */
export const strip = (label, line, ...children) =>
  el(
    'section.box',
    { 'aria-label': label },
    children.some((each) => each.textContent)
      ? h('details', h('summary', line), ...children)
      : h('p', line),
  )
