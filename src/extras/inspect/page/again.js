import { el, h } from './dom.js'
import { askWhich } from './explain.js'
import { asked } from './proxy.js'

/** Sends the same request once more, really: to the same upstream or to another one. */
export function again(x) {
  const result = el('p', { role: 'status' })
  const run = async (named) => {
    result.textContent = 'sent; it stands in the list while it runs'
    const told = await asked(`/send/${x.number}`, named).catch((error) => ({
      error: error.message,
    }))
    result.textContent = told.error ?? `answered with status ${told.status}`
  }
  const words = h('p', 'The model is asked once more, which costs what it costs.')
  const isUsual = (name) => name === x.upstream
  return askWhich({ title: 'again', words, verb: 'send', isUsual, result, run }, x)
}
