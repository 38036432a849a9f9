import { open } from './detail.js'
import { byId, h } from './dom.js'
import { renderList } from './list.js'
import { ask } from './proxy.js'
import { rows, state } from './state.js'

function take({ first, last: until, rows: changed }) {
  state.last = until
  for (const number of rows.keys()) if (first === undefined || number < first) rows.delete(number)
  for (const row of changed) rows.set(row.number, row)
  renderList()
  const now = rows.get(state.picked)
  if (
    now &&
    state.shown?.number === state.picked &&
    !state.shown.isOver &&
    changed.some(({ number }) => number === state.picked)
  )
    void open(state.picked)
}

export async function follow() {
  for (;;) {
    let trouble = 'The proxy does not answer'
    try {
      const reply = await ask(`/feed?after=${state.last}`)
      if (reply.status === 403) return refused()
      if (reply.status === 503) trouble = 'Five other pages are open'
      if (!reply.ok) throw new Error()
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (;;) {
        const { value, done } = await reader.read()
        if (done) break
        const lines = (text + value).split('\n')
        text = lines.pop()
        for (const line of lines) if (line) take(JSON.parse(line))
      }
    } catch {
      byId('state').textContent = `${trouble}; it is asked again.`
    }
    await new Promise((go) => setTimeout(go, 1000))
  }
}

const refused = () => {
  byId('state').textContent = ''
  byId('list').replaceChildren(
    h(
      'div.empty',
      h('h2', 'This page needs its token'),
      h(
        'p',
        'Open the whole address that the proxy printed when it started, with all behind the #.',
      ),
    ),
  )
}
