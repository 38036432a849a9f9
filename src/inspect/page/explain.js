import { dialog, h, el, scroller } from './dom.js'
import { asked } from './proxy.js'
import { tree } from './tree.js'
import { plural } from './words.js'

export async function explain(x) {
  const upstreams = await asked('/upstreams')
  const choice = el(
    'select',
    { id: 'to' },
    ...upstreams.map(({ name, dialect }) =>
      el(
        'option',
        { value: name, selected: name !== x.upstream },
        name === dialect ? name : `${name} (${dialect})`,
      ),
    ),
  )
  const model = el('input', { id: 'as', value: x.sentModel ?? x.model ?? '', autocomplete: 'off' })
  const result = el('div.pair', { 'aria-live': 'polite' })
  const run = async (event) => {
    event.preventDefault()
    const named = { upstream: choice.value, model: model.value }
    const told = await asked(`/explain/${x.number}`, named).catch((error) => ({ error }))
    if (!told.upstream) {
      const why = typeof told.error === 'string' ? told.error : told.error?.message
      return result.replaceChildren(h('p.bad', why ?? 'It cannot be said.'))
    }
    result.replaceChildren(lossList(told.losses), sentBody(told))
  }
  dialog(
    'explain',
    h('p.soft', 'What another upstream would be sent for the same request. Nothing is sent.'),
    el(
      'form.bar',
      { onsubmit: run },
      el('label', { htmlFor: 'to' }, 'upstream'),
      choice,
      el('label', { htmlFor: 'as' }, 'model'),
      model,
      h('button', 'show'),
    ),
    result,
  )
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
      ...losses.map(({ code, path, field, detail }) =>
        h(
          'li',
          h('strong.warn', code),
          h('code', path),
          h('code.soft', field ?? ''),
          h('span.soft', detail ?? ''),
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
