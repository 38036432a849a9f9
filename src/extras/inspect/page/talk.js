// A conversation as people read it.

import { el, h } from './dom.js'
import { asked } from './proxy.js'
import { parsed } from './tree.js'
import { plural } from './words.js'

/** All dialects come in the shape of one: turns of blocks. */
export function talk(x) {
  const section = el('section.talk', { 'aria-label': 'conversation' }, h('p.soft', 'It is read …'))
  asked(`/conversation/${x.number}`, {})
    .then(({ request, reply, error }) =>
      section.replaceChildren(
        ...(request ? asRead(request) : []),
        ...(reply ? [turn('reply', blocksOf(reply))] : []),
        error ? h('p.bad', error) : '',
      ),
    )
    .catch(({ message }) => section.replaceChildren(h('p.bad', message)))
  return section
}

const listed = (content) =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])

const asRead = ({ system, tools, messages = [] }) => [
  system ? folded('instructions', listed(system).map(block)) : '',
  tools?.length ? folded(plural(tools.length, 'tool'), [h('p', tools.map(nameOf).join(', '))]) : '',
  ...messages.map(({ role, content }) => turn(role, listed(content))),
]

const nameOf = ({ name, type }) => name ?? type

const turn = (who, blocks) =>
  h(`div.turn.${who.replace(/\W/g, '')}`, h('h4', who), ...blocks.map(block))

const folded = (name, children, open = false) =>
  el('details', { open }, h('summary', name), ...children)

const SHORT = 400

const MAKE = {
  text: ({ text }) => h('p.words', text),
  thinking: ({ thinking }) => folded('thoughts', [h('p.words.soft', thinking || 'sealed')]),
  redacted_thinking: () => h('p.soft', 'thoughts, sealed'),
  tool_use: ({ name, input }) => h('pre.call', `${name}(${JSON.stringify(input)})`),
  tool_result: ({ content, is_error }) =>
    folded(
      is_error ? 'result: an error' : 'result',
      listed(content).map(block),
      JSON.stringify(content ?? '').length < SHORT,
    ),
  image: () => h('p.soft', '[picture]'),
  document: ({ title }) => h('p.soft', `[document${title ? ` ${title}` : ''}]`),
}

const block = (each) =>
  MAKE[each.type]?.(each) ?? folded(each.type ?? 'part', [h('pre', JSON.stringify(each, null, 1))])

/** Of a stream its blocks, put together. */
function blocksOf(reply) {
  if (typeof reply !== 'string') return listed(reply.content)
  const blocks = []
  for (const [, data] of reply.matchAll(/^data: (.*)$/gm)) {
    const { type, index, content_block: begun, delta, error } = parsed(data)?.value ?? {}
    if (type === 'content_block_start') blocks[index] = { ...begun, json: '' }
    else if (type === 'content_block_delta') grow(blocks[index], delta)
    else if (type === 'error')
      blocks.push({ type: 'text', text: `✗ broke here: ${error?.message}` })
  }
  return blocks
    .filter(Boolean)
    .map(({ json, ...each }) => (json ? { ...each, input: parsed(json)?.value ?? json } : each))
}

function grow(begun, { text, thinking, partial_json: json } = {}) {
  if (!begun) return
  if (text) begun.text = (begun.text ?? '') + text
  if (thinking) begun.thinking = (begun.thinking ?? '') + thinking
  if (json) begun.json += json
}
