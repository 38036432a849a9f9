import { dialog, h } from './dom.js'
import { asked } from './proxy.js'
import { tree } from './tree.js'
import { plural } from './words.js'

export async function explain(x) {
  const upstreams = await asked('/upstreams')
  const choice = h(
    'select',
    { id: 'to' },
    ...upstreams.map(({ name, dialect }) =>
      h(
        'option',
        { value: name, selected: name !== x.upstream },
        name === dialect ? name : `${name} (${dialect})`,
      ),
    ),
  )
  const model = h('input', { id: 'as', value: x.sentModel ?? x.model ?? '', autocomplete: 'off' })
  const result = h('div', { class: 'pair', 'aria-live': 'polite' })
  const run = async (event) => {
    event.preventDefault()
    const told = await asked(`/explain/${x.number}`, { upstream: choice.value, model: model.value })
    if (!told.upstream) {
      const why = typeof told.error === 'string' ? told.error : told.error?.message
      return result.replaceChildren(h('p', { class: 'bad' }, why ?? 'It cannot be said.'))
    }
    result.replaceChildren(lossList(told.losses), sentBody(told))
  }
  dialog(
    'explain',
    h(
      'p',
      { class: 'soft' },
      'What another upstream would be sent for the same request. Nothing is sent.',
    ),
    h(
      'form',
      { class: 'bar', onsubmit: run },
      h('label', { htmlFor: 'to' }, 'upstream'),
      choice,
      h('label', { htmlFor: 'as' }, 'model'),
      model,
      h('button', {}, 'show'),
    ),
    result,
  )
}

const lossList = (losses) =>
  h(
    'div',
    {},
    h(
      'h3',
      {},
      losses.length ? `⚠ ${plural(losses.length, 'loss', 'losses')}` : 'Nothing would be lost',
    ),
    h(
      'ul',
      { class: 'losses' },
      ...losses.map(({ code, path, field, detail }) =>
        h(
          'li',
          {},
          h('strong', { class: 'warn' }, code),
          h('code', {}, path),
          h('code', { class: 'soft' }, field ?? ''),
          h('span', { class: 'soft' }, detail ?? ''),
        ),
      ),
    ),
  )

function sentBody({ losses, upstream }) {
  const marks = new Map()
  for (const { sentAt, code, path } of losses)
    if (sentAt !== undefined) marks.set(sentAt, { kind: 'loss', text: `⚠ ${code} ${path}` })
  return h(
    'div',
    { class: 'body tree', tabIndex: 0, role: 'group', 'aria-label': 'what would be sent' },
    tree(upstream, prefixed(marks, '/body')),
  )
}

const prefixed = (marks, before) => new Map([...marks].map(([at, note]) => [before + at, note]))
