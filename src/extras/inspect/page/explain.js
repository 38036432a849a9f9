import { dialog, h, el, scroller } from './dom.js'
import { callerWord, effectOf } from './losses.js'
import { asked } from './proxy.js'
import { tree } from './tree.js'
import { plural } from './words.js'

/** Asks which upstream and model are meant, and then runs. */
export async function askWhich({ title, words, verb, isUsual, result, run }, x) {
  const upstreams = await asked('/upstreams')
  const choice = el(
    'select',
    { id: 'to' },
    ...upstreams.map(({ name, dialect }) =>
      el(
        'option',
        { value: name, selected: isUsual(name) },
        name === dialect ? name : `${name} (${dialect})`,
      ),
    ),
  )
  const model = el('input', { id: 'as', value: x.sentModel ?? x.model ?? '', autocomplete: 'off' })
  const onsubmit = (event) => {
    event.preventDefault()
    return run({ upstream: choice.value, model: model.value })
  }
  dialog(
    title,
    words,
    el(
      'form.bar',
      { onsubmit },
      el('label', { htmlFor: 'to' }, 'upstream'),
      choice,
      el('label', { htmlFor: 'as' }, 'model'),
      model,
      h('button', verb),
    ),
    result,
  )
}

export function explain(x) {
  const result = el('div.pair', { 'aria-live': 'polite' })
  const run = async (named) => {
    const told = await asked(`/explain/${x.number}`, named).catch((error) => ({ error }))
    if (!told.upstream) {
      const why = typeof told.error === 'string' ? told.error : told.error?.message
      return result.replaceChildren(h('p.bad', why ?? 'It cannot be said.'))
    }
    result.replaceChildren(lossList(told.losses), sentBody(told))
  }
  const words = h(
    'p.soft',
    'What another upstream would be sent for the same request. Nothing is sent.',
  )
  const isUsual = (name) => name !== x.upstream
  return askWhich({ title: 'explain', words, verb: 'show', isUsual, result, run }, x)
}

const lossList = (losses) =>
  h(
    'div',
    h(
      'h3',
      losses.length ? `⚠ ${plural(losses.length, 'loss', 'losses')}` : 'Nothing would be lost',
    ),
    h(
      'ul.losses',
      ...losses.map(({ code, path, field, why, effect }) =>
        h(
          'li',
          h('strong', callerWord(field) ?? path),
          h('span.warn', code),
          h('span', why),
          effectOf(effect),
          h('code.soft', path),
        ),
      ),
    ),
  )

function sentBody({ losses, upstream }) {
  const marks = new Map()
  for (const { sentAt, code, path } of losses)
    if (sentAt !== undefined)
      marks.set(`/body${sentAt}`, { kind: 'loss', text: `⚠ ${code} ${path}` })
  return scroller('div.body.tree', 'what would be sent', tree(upstream, marks))
}
