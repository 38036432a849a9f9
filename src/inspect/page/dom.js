// Everything a model or a caller says is hostile here: it becomes text nodes, and nothing else.

export const byId = (id) => document.getElementById(id)

/** Letters that change what stands around them, or cannot be seen. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g
export const visible = (text) =>
  String(text).replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** An element: properties, handlers (`onclick`), `data-` and `aria-` names, children. */
export function h(tag, props, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'class') element.className = value
    else if (name in element && !name.includes('-')) element[name] = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(
    ...children
      .flat()
      .filter((child) => child || child === 0)
      .map(node),
  )
  return element
}
const node = (child) => (child instanceof Node ? child : document.createTextNode(visible(child)))

export const action = (name, run) => h('button', { type: 'button', onclick: run }, name)

export function dialog(title, ...children) {
  byId('dialog-title').textContent = title
  byId('dialog-body').replaceChildren(...children)
  if (!byId('dialog').open) byId('dialog').showModal()
}
