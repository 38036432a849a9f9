import { dialog, el, h } from './dom.js'
import { choiceOf } from './explain.js'
import { asked } from './proxy.js'

/** Sends the same request once more, really: to the same upstream or to another one. */
export async function again(x) {
  const { choice, model } = await choiceOf(x, (name) => name === x.upstream)
  const result = el('p', { role: 'status' })
  const run = async (event) => {
    event.preventDefault()
    result.textContent = 'sent; it stands in the list while it runs'
    const named = { upstream: choice.value, model: model.value }
    const told = await asked(`/send/${x.number}`, named).catch((error) => ({
      error: error.message,
    }))
    result.textContent = told.error ?? `answered with status ${told.status}`
  }
  dialog(
    'again',
    h('p', 'The model is asked once more, which costs what it costs.'),
    el(
      'form.bar',
      { onsubmit: run },
      el('label', { htmlFor: 'to' }, 'upstream'),
      choice,
      el('label', { htmlFor: 'as' }, 'model'),
      model,
      h('button', 'send'),
    ),
    result,
  )
}
