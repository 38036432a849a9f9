import { dialog, h, el } from './dom.js'
import { asked } from './proxy.js'
import { rows } from './state.js'
import { isLeaf, parsed, pointer } from './tree.js'
import { bytesOf, count, modelOf, plural, size } from './words.js'

export async function compare(x) {
  const others = [...rows.values()].filter((row) => row.number !== x.number && row.upstreamDialect)
  if (others.length === 0)
    return dialog('compare', h('p', 'There is no other exchange to compare this one with.'))
  const usual =
    others.findLast((row) => row.number < x.number && row.session && row.session === x.session) ??
    others.findLast((row) => row.number < x.number && row.upstream === x.upstream) ??
    others[0]
  const choice = el(
    'select',
    { id: 'with' },
    ...others.map((row) =>
      el(
        'option',
        { value: row.number, selected: row === usual },
        `${row.number}: ${modelOf(row)} ${row.session === x.session && x.session ? '(same session)' : ''}`,
      ),
    ),
  )
  const result = el('div', { 'aria-live': 'polite' })
  const run = async () => {
    const other = await asked(`/exchange/${choice.value}`)
    const [before, after] = other.number < x.number ? [other, x] : [x, other]
    result.replaceChildren(
      comparison('upstream request', before.calls.at(-1)?.body, after.calls.at(-1)?.body, after),
      comparison('client request', before.came.body, after.came.body),
    )
  }
  choice.addEventListener('change', run)
  dialog('compare', h('p', el('label', { htmlFor: 'with' }, 'with exchange '), choice), result)
  await run()
}

/** Where the beginning that two requests share ends: a cache of prompts reaches as far. */
function comparison(title, one, other, after) {
  if (!one?.text || !other?.text)
    return h('section', h('h3', title), h('p.soft', 'There is no text to compare.'))
  const [a, b] = [one.text, other.text]
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  const [left, right] = [parsed(a)?.value, parsed(b)?.value]
  const members = left && right ? membersOf(left, right) : []
  const broken = members.find(({ at }) => at !== undefined)
  const around = (text) =>
    `…${text.slice(Math.max(0, same - 40), same)}│${text.slice(same, same + 120)}`
  const usage = after?.usage
  return h(
    'section.box',
    h('h3', title),
    h(
      'p',
      a === b
        ? `The same ${plural(bytesOf(a), 'byte')}.`
        : `The first ${plural(bytesOf(a.slice(0, same)), 'byte')} of ${count(bytesOf(a))} and ${count(bytesOf(b))} are the same.`,
    ),
    h(
      'p',
      broken
        ? h(
            'span.warn',
            `⚠ The prefix breaks at ${broken.at}, ${size(broken.bytes)} into ${broken.name}.`,
          )
        : members.length > 0
          ? 'What was said before is continued: nothing of it has changed.'
          : 'How it goes on is not known: it was not kept whole, or is no JSON.',
    ),
    usage?.input
      ? h(
          'p.soft',
          `The upstream read ${count(usage.cacheRead ?? 0)} of ${count(usage.input)} tokens of input from its cache.`,
        )
      : '',
    h('ul', ...members.slice(0, 99).map(({ name, text }) => h('li', h('code', name), ` ${text}`))),
    a === b ? '' : h('pre', `${around(a)}\n${around(b)}`),
  )
}

function membersOf(left, right) {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names.map((name) => {
    const [one, other] = [left[name], right[name]]
    if (JSON.stringify(one) === JSON.stringify(other)) return { name, text: 'the same' }
    const place = (path) => (PREFIX.has(name) ? path : undefined)
    if (one === undefined || other === undefined)
      return { name, text: one ? 'is gone' : 'is new', at: place(pointer([name])), bytes: 0 }
    const at = difference(one, other)
    const grown = Array.isArray(one) && at.length === 1 && Number(at[0]) === one.length
    if (grown)
      return {
        name,
        text: `the same ${plural(one.length, 'element')}, and ${other.length - one.length} more`,
      }
    const path = pointer([name, ...at])
    const bytes = sharedBytes(JSON.stringify(one), JSON.stringify(other))
    return { name, text: `changed at ${path}`, at: place(path), bytes }
  })
}

/** What a prompt is made of. */
const PREFIX = new Set([
  'model',
  'system',
  'tools',
  'messages',
  'input',
  'instructions',
  'contents',
  'systemInstruction',
])

function sharedBytes(one, other) {
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  return bytesOf(one.slice(0, same))
}

function difference(one, other) {
  if (isLeaf(one) || isLeaf(other)) return []
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const name = names.find((each) => JSON.stringify(one[each]) !== JSON.stringify(other[each]))
  if (name === undefined) return []
  return [name, ...(name in one && name in other ? difference(one[name], other[name]) : [])]
}
