// Everything a model or a caller says is hostile here: it becomes text nodes, and nothing else.

const byId = (id) => document.getElementById(id)

/** Letters that change what stands around them, or cannot be seen. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g
const visible = (text) =>
  String(text).replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** An element: properties, handlers (`onclick`), `data-` and `aria-` names, children. */
function h(tag, props, ...children) {
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

const bytesOf = (text) => new TextEncoder().encode(text).length
const count = (n) => (n === undefined ? '' : n.toLocaleString('en'))
const plural = (n, word, more = `${word}s`) => `${count(n)} ${n === 1 ? word : more}`
const time = (ms) =>
  ms === undefined
    ? ''
    : ms < 1000
      ? `${Math.round(ms * 10) / 10} ms`
      : `${(ms / 1000).toFixed(2)} s`
const size = (n) =>
  n < 1024
    ? `${n} B`
    : n < 1_048_576
      ? `${(n / 1024).toFixed(1)} kB`
      : `${(n / 1_048_576).toFixed(1)} MB`
const money = (n) => (n === undefined ? '' : `$${n < 0.01 ? n.toFixed(6) : n.toFixed(4)}`)

// The token comes in the fragment, which no request carries; it is not left in the address.
const fragment = location.hash.slice(1)
if (fragment) {
  sessionStorage.setItem('token', fragment)
  history.replaceState(null, '', '/')
}
const ask = (path, body) =>
  fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${sessionStorage.getItem('token') ?? ''}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const asked = async (path, body) => {
  const reply = await ask(path, body)
  if (!reply.ok) throw new Error(`${path}: ${reply.status}`)
  return reply.status === 204 ? undefined : reply.json()
}

// ---- The list

const rows = new Map()
const shownRows = new Map()
let last = 0
let picked
let paused = false
let waiting = false

const COLUMNS = [
  ['#', 'number', (row) => row.number],
  ['time', 'wide', (row) => new Date(row.startedAt).toLocaleTimeString('en-GB')],
  [
    'from → to',
    '',
    (row) =>
      `${row.dialect ?? '?'} → ${row.upstreamDialect ?? '–'}${row.member && row.member !== row.upstreamDialect ? ` (${row.member})` : ''}`,
  ],
  ['model', 'wide', (row) => modelOf(row)],
  ['status', '', (row) => statusOf(row)],
  ['first', 'number wide', (row) => time(row.firstByteMs)],
  ['total', 'number', (row) => (row.isOver ? time(row.totalMs) : '…')],
  [
    'in (cached)',
    'number wide',
    ({ usage }) =>
      usage &&
      `${count(usage.input ?? 0)}${usage.cacheRead ? ` (${Math.round((100 * usage.cacheRead) / Math.max(1, usage.input))} %)` : ''}`,
  ],
  ['out', 'number wide', ({ usage }) => usage && count(usage.output)],
  ['cost', 'number wide', ({ cost }) => money(cost)],
  ['losses', 'number', ({ losses }) => (losses?.length ? `⚠ ${losses.length}` : '')],
  ['calls', 'number wide', ({ attempts }) => (attempts > 1 ? attempts : '')],
]
const modelOf = ({ model, sentModel }) =>
  model === sentModel || !sentModel ? (model ?? '') : `${model} = ${sentModel}`
const isBad = ({ status, outcome }) =>
  status >= 400 || (outcome && !['ok', 'left'].includes(outcome))
const statusOf = (row) => {
  if (row.status === undefined) return 'open'
  const word = row.outcome && row.outcome !== 'ok' ? ` ${row.outcome.replace('_', ' ')}` : ''
  return `${isBad(row) ? '✗' : row.isOver ? '✓' : '…'} ${row.status}${word}${row.stream ? ' ⇶' : ''}`
}

function matches(row) {
  const words = byId('filter').value.trim().toLowerCase().split(/\s+/).filter(Boolean)
  return words.every((word) => {
    const [, name, value] =
      /^(status|dialect|loss|model|upstream|session|path):(.*)$/.exec(word) ?? []
    if (!name) return JSON.stringify(row).toLowerCase().includes(word)
    if (name === 'status')
      return new RegExp(`^${value.replace(/[^\dx]/g, '').replaceAll('x', '\\d')}`).test(row.status)
    const told = {
      dialect: [row.dialect, row.upstreamDialect],
      loss: row.losses,
      model: [row.model, row.sentModel],
      upstream: [row.upstream, row.member],
      session: [row.session],
      path: [row.url],
    }[name]
    return (told ?? []).some((each) =>
      String(each ?? '')
        .toLowerCase()
        .includes(value),
    )
  })
}

function lineOf(row) {
  const cells = COLUMNS.map(([, kind, show], at) =>
    at === 0
      ? h(
          'th',
          { scope: 'row', class: kind },
          h(
            'button',
            { type: 'button', tabIndex: -1, 'aria-label': `exchange ${row.number}` },
            String(row.number),
          ),
        )
      : h(
          'td',
          {
            class: `${kind}${at === 4 ? (isBad(row) ? ' bad' : ' good') : ''}${at === 10 ? ' warn' : ''}`,
          },
          show(row) ?? '',
        ),
  )
  const line = h('tr', { onclick: () => open(row.number) }, ...cells)
  line.dataset.number = row.number
  if (row.number === picked) line.dataset.picked = ''
  return line
}

function renderList() {
  if (paused) return void (waiting = true)
  const list = byId('list')
  if (rows.size === 0) {
    shownRows.clear()
    list.replaceChildren(emptyList())
    return tell()
  }
  let body = list.querySelector('tbody')
  if (!body) {
    body = h('tbody')
    const head = h(
      'thead',
      {},
      h('tr', {}, ...COLUMNS.map(([name, kind]) => h('th', { scope: 'col', class: kind }, name))),
    )
    list.replaceChildren(h('table', { 'aria-label': 'exchanges, the newest first' }, head, body))
    shownRows.clear()
  }
  const held = document.activeElement?.closest?.('tr')?.dataset.number
  let before = null
  for (const row of rows.values()) {
    const known = shownRows.get(row.number)
    if (!matches(row)) {
      known?.line.remove()
      shownRows.delete(row.number)
      continue
    }
    if (known?.row !== row) {
      const line = lineOf(row)
      if (known) known.line.replaceWith(line)
      else body.insertBefore(line, before)
      shownRows.set(row.number, { row, line })
    }
    before = shownRows.get(row.number).line
  }
  for (const [number, { line }] of shownRows)
    if (!rows.has(number)) {
      line.remove()
      shownRows.delete(number)
    }
  rove()
  if (held) body.querySelector(`tr[data-number="${held}"] button`)?.focus()
  tell()
}

/** One row of the list can be reached with Tab; arrows lead to the others. */
function rove(target) {
  const buttons = [...document.querySelectorAll('#list tbody button')]
  const now =
    target ??
    buttons.find((each) => each.closest('tr').dataset.number === String(picked)) ??
    buttons[0]
  for (const each of buttons) each.tabIndex = each === now ? 0 : -1
  return buttons
}

function tell() {
  const open = [...rows.values()].filter((row) => !row.isOver).length
  const parts = [plural(rows.size, 'exchange'), ...(open ? [`${open} open`] : [])]
  if (shownRows.size < rows.size) parts.push(`${shownRows.size} shown`)
  if (paused) parts.push('paused')
  const text = parts.join(', ')
  if (byId('state').textContent !== text) byId('state').textContent = text
}

const emptyList = () =>
  h(
    'div',
    { class: 'empty' },
    h('h2', {}, 'Nothing has passed yet'),
    h(
      'p',
      {},
      'As soon as a client asks the proxy something, the exchange is shown here: what came, what went upstream, what came back and what the client was told.',
    ),
    h(
      'p',
      { class: 'soft' },
      'Exchanges are kept in the memory of the process alone: the last 500, at most 32 MB. Keys are masked.',
    ),
  )

// ---- JSON

const pointer = (path) =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const LONG = 2000
function longText(text, kind) {
  if (text.length <= LONG) return h('span', { class: kind }, text)
  const whole = h('span', { class: kind }, `${text.slice(0, LONG)}…`)
  const more = h(
    'button',
    {
      type: 'button',
      onclick: () => {
        whole.textContent = visible(text)
        more.remove()
      },
    },
    `${size(bytesOf(text))}: all`,
  )
  return h('span', {}, whole, ' ', more)
}

const literal = (value) =>
  typeof value === 'string'
    ? longText(JSON.stringify(value), 'string')
    : h('span', { class: 'literal' }, String(value))

/** `marks`: pointers, with what stands there. Branches are made when they are opened. */
function tree(value, marks = new Map(), path = [], key) {
  const at = pointer(path)
  const note = marks.get(at)
  const name = key === undefined ? '' : h('span', { class: 'key' }, `${key}:`)
  const before = [
    note ? h('mark', { class: note.kind, title: note.text }, name || '(all)') : name,
    ' ',
  ]
  const after = note ? h('span', { class: 'note' }, ` ${note.text}`) : ''
  if (typeof value !== 'object' || value === null)
    return h('div', { class: 'leaf', 'data-at': at }, ...before, literal(value), after)
  const list = Array.isArray(value)
  const members = Object.entries(value)
  const inside = [...marks.keys()].some((each) => each.startsWith(`${at}/`))
  const opened = inside || path.length < 1 || (path.length < 3 && members.length < 12)
  const children = h('div')
  const fill = () => {
    if (children.childNodes.length === 0)
      children.append(
        ...members.map(([name, each]) =>
          tree(each, marks, [...path, name], list ? Number(name) : name),
        ),
      )
  }
  if (opened) fill()
  const hint = list
    ? `[${members.length}]`
    : `{${members
        .slice(0, 4)
        .map(([name]) => name)
        .join(', ')}${members.length > 4 ? ', …' : ''}}`
  const type =
    !list && typeof value.type === 'string'
      ? ` ${value.type}`
      : !list && typeof value.role === 'string'
        ? ` ${value.role}`
        : ''
  return h(
    'details',
    { open: opened, 'data-at': at, ontoggle: fill },
    h('summary', {}, ...before, h('span', { class: 'soft' }, hint + type), after),
    children,
  )
}

function parsed(text) {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

// ---- Streams

/** Events of a stream with the time at which their last byte had come. */
function eventsOf(body, type) {
  const { text, marks = [] } = body
  const isEvents = /event-stream/.test(type ?? '')
  const ends = isEvents
    ? [...text.matchAll(/\r?\n\r?\n|\r\r/g)].map((found) => found.index + found[0].length)
    : marks.map(([, end]) => end)
  if (isEvents && (ends.at(-1) ?? 0) < text.length && text.slice(ends.at(-1) ?? 0).trim())
    ends.push(text.length)
  let from = 0
  let mark = 0
  let before
  return ends.map((end) => {
    const raw = text.slice(from, end)
    from = end
    while (mark < marks.length - 1 && marks[mark][1] < end) mark += 1
    const at = marks[mark]?.[0]
    const gap = before === undefined || at === undefined ? undefined : at - before
    before = at
    const lines = raw.split(/\r\n|\r|\n/)
    const field = (name) =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
    const data = isEvents ? field('data').join('\n') : raw.replace(/^[\s,[]+|[\s,\]]+$/g, '')
    const json = parsed(data)?.value
    const kind = isEvents
      ? (field('event')[0] ??
        json?.type ??
        json?.object ??
        (lines[0].startsWith(':') ? 'comment' : ''))
      : 'piece'
    return { raw, data, json, at, gap, kind, said: saidIn(json) }
  })
}

/** The words that an event adds, in any of the dialects. */
function saidIn(json) {
  if (typeof json !== 'object' || json === null) return ''
  const { delta } = json
  if (typeof delta === 'string') return delta
  if (typeof delta === 'object' && delta)
    return delta.text ?? delta.thinking ?? delta.partial_json ?? ''
  const choice = json.choices?.[0]?.delta
  if (choice)
    return (
      choice.content ??
      choice.reasoning_content ??
      choice.tool_calls?.[0]?.function?.arguments ??
      ''
    )
  const parts = json.candidates?.[0]?.content?.parts
  return Array.isArray(parts) ? parts.map((part) => part.text ?? '').join('') : ''
}

function streamTable(body, type, startAt) {
  const events = eventsOf(body, type)
  const lines = events.map(({ raw, data, json, at, gap, kind, said: words }, index) => {
    const full = h('td', { class: 'data' })
    const plain = data.length > 160 ? `${data.slice(0, 160)}…` : data || raw.trim()
    const short = typeof words === 'string' && words ? JSON.stringify(words) : plain
    const details =
      json && data.length > 40
        ? h(
            'details',
            {
              ontoggle: () => {
                if (details.childNodes.length === 1) details.append(tree(json))
              },
            },
            h('summary', {}, short),
          )
        : h('span', {}, short)
    full.append(details)
    return h(
      'tr',
      {},
      h('th', { scope: 'row', class: 'number' }, String(index + 1)),
      h('td', { class: 'number' }, at === undefined ? '' : time(at - startAt)),
      h('td', { class: 'number' }, gap === undefined ? '' : `+${time(gap)}`),
      h('td', { class: 'number' }, size(bytesOf(raw))),
      h('td', {}, kind),
      full,
    )
  })
  const head = ['#', 'at', 'gap', 'size', 'type', 'data'].map((name, at) =>
    h('th', { scope: 'col', class: at < 4 ? 'number' : '' }, name),
  )
  const table = h(
    'table',
    { 'aria-label': 'events of the stream' },
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...lines),
  )
  const said = h('div', {
    class: 'said',
    tabIndex: 0,
    role: 'group',
    'aria-label': 'said until then',
  })
  const told = h('output')
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: events.length,
    value: events.length,
    'aria-label': 'how far in the stream',
  })
  const show = (until) => {
    slider.value = until
    lines.forEach((line, index) => line.classList.toggle('later', index >= until))
    said.textContent = visible(
      events
        .slice(0, until)
        .map((event) => event.said)
        .join('')
        .slice(-4000),
    )
    const at = events[until - 1]?.at
    told.textContent = `event ${until} of ${events.length}${at === undefined ? '' : `, ${time(at - startAt)} after the beginning`}`
  }
  let playing
  const stop = () => {
    clearTimeout(playing)
    playing = undefined
    play.textContent = 'play'
  }
  const step = () => {
    const now = Number(slider.value)
    if (now >= events.length || !table.isConnected) return stop()
    show(now + 1)
    playing = setTimeout(step, Math.min(3000, events[now + 1]?.gap ?? 0))
  }
  const play = h(
    'button',
    {
      type: 'button',
      onclick: () => {
        if (playing) return stop()
        if (Number(slider.value) >= events.length) show(0)
        play.textContent = 'stop'
        step()
      },
    },
    'play',
  )
  slider.addEventListener('input', () => {
    stop()
    show(Number(slider.value))
  })
  show(events.length)
  return [
    h('div', { class: 'time' }, play, slider, told),
    said,
    h('div', { class: 'body', tabIndex: 0, role: 'group', 'aria-label': 'events' }, table),
  ]
}

// ---- One exchange

let shown
const panes = []

async function open(number) {
  picked = number
  for (const { line } of shownRows.values()) delete line.dataset.picked
  const line = shownRows.get(number)?.line
  if (line) line.dataset.picked = ''
  rove()
  try {
    shown = await asked(`/exchange/${number}`)
  } catch (error) {
    byId('detail').replaceChildren(
      h('p', { class: 'bad' }, `This exchange is not kept any more (${error.message}).`),
    )
    return
  }
  if (picked === number) renderDetail()
}

const fact = (name, value) =>
  value === undefined || value === '' ? [] : [h('div', {}, h('dt', {}, name), h('dd', {}, value))]

function renderDetail() {
  const x = shown
  const call = x.calls.at(-1)
  panes.length = 0
  const marks = { came: new Map(), went: new Map() }
  byId('detail').replaceChildren(
    h(
      'div',
      { class: 'bar' },
      h('h2', { tabIndex: -1, id: 'title' }, `${x.number}: ${x.method} ${x.url}`),
      action('curl', () => copied('curl', curlOf(x))),
      action('replay', () => copied('a line for npm run replay', replayOf(x, call))),
      action('explain', () => explain(x)),
      action('compare', () => compare(x)),
    ),
    h(
      'dl',
      {},
      fact('from → to', `${x.dialect ?? '?'} → ${x.upstreamDialect ?? '–'}`),
      fact('upstream', x.member ?? x.upstream),
      fact('model', modelOf(x)),
      fact('status', statusOf(x)),
      fact('what the caller was told', x.error),
      fact('why', x.reason),
      fact('finish', x.finish),
      fact(
        'first byte, total',
        x.isOver ? [time(x.firstByteMs), time(x.totalMs)].filter(Boolean).join(', ') : 'still open',
      ),
      fact('session', x.session),
      fact('caller', x.caller),
      fact('id', x.id),
      fact('the upstream’s id', x.upstreamRequestId),
    ),
    h('div', { class: 'pair' }, waterfall(x), tokens(x)),
    losses(x, marks),
    h(
      'div',
      { class: 'pair panes' },
      pane('what came', x.came.headers, x.came.body, x.came.type, { marks: marks.came, at: 0 }),
      call ? went(call, '', marks.went) : missing('what went', 'Nothing was sent to an upstream.'),
      call ? back(call, '') : missing('what came back', 'Nothing was asked of an upstream.'),
      x.told
        ? pane('what was told', x.told.headers, x.told.body, x.told.type, {
            line: `status ${x.status}`,
            at: 0,
          })
        : missing('what was told', 'Nothing yet.'),
    ),
    ...x.calls
      .slice(0, -1)
      .map((each, index) =>
        h(
          'details',
          {},
          h('summary', {}, `attempt ${index + 1}: ${each.status ?? each.failure ?? 'no answer'}`),
          h(
            'div',
            { class: 'pair panes' },
            went(each, `, attempt ${index + 1}`),
            back(each, `, attempt ${index + 1}`),
          ),
        ),
      ),
  )
}

const went = (call, which, marks) =>
  pane(`what went${which}`, call.headers, call.body, 'application/json', {
    marks,
    line: `${call.method} ${call.url}`,
    at: call.at,
  })
const back = (call, which) =>
  call.status === undefined
    ? missing(`what came back${which}`, call.failure ?? 'Nothing has come back yet.')
    : pane(`what came back${which}`, call.repliedHeaders, call.reply, call.repliedType, {
        line: `status ${call.status}`,
        at: call.at,
      })
const action = (name, run) => h('button', { type: 'button', onclick: run }, name)
const missing = (title, why) =>
  h(
    'section',
    { 'aria-label': title, tabIndex: -1 },
    h('h3', {}, title),
    h('p', { class: 'soft' }, why),
  )

function pane(title, headers, body, type, { marks = new Map(), line, at }) {
  const isStream =
    Boolean(body.marks?.length) && (/event-stream/.test(type ?? '') || body.marks.length > 1)
  const value = body.text === undefined || isStream ? undefined : parsed(body.text)
  const views = [...(isStream ? ['events'] : []), ...(value ? ['tree'] : []), 'raw']
  const content = h('div', { class: 'content' })
  const find = h('input', {
    type: 'search',
    placeholder: 'find',
    'aria-label': `find in ${title}`,
    size: 8,
    oninput: () => seek(content, find.value),
  })
  const show = (view) => {
    for (const each of buttons) each.setAttribute('aria-pressed', String(each.textContent === view))
    find.hidden = view === 'events'
    content.replaceChildren(
      ...(view === 'events'
        ? streamTable(body, type, at)
        : [
            h(
              'div',
              { class: 'body tree', tabIndex: 0, role: 'group', 'aria-label': `${title}, body` },
              view === 'tree'
                ? tree(value.value, marks)
                : h('pre', {}, body.text ?? `${size(body.size)} that are no text`),
            ),
          ]),
    )
  }
  const buttons = views.map((view) =>
    h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => show(view) }, view),
  )
  const section = h(
    'section',
    { 'aria-label': title, tabIndex: -1 },
    h(
      'div',
      { class: 'bar' },
      h('h3', {}, title),
      find,
      ...buttons,
      action('copy', () => copied(title, body.text ?? '')),
    ),
    h(
      'p',
      { class: 'soft' },
      [line, size(body.size), body.cut && 'cut: the rest was not kept'].filter(Boolean).join(', '),
    ),
    h(
      'details',
      {},
      h('summary', {}, plural(headers?.length ?? 0, 'header')),
      h('pre', {}, (headers ?? []).map(([name, each]) => `${name}: ${each}`).join('\n')),
    ),
    content,
  )
  show(views[0])
  panes.push({
    title,
    section,
    redraw: () => {
      if (views[0] === 'tree') show('tree')
    },
  })
  return section
}

function unfold(branch) {
  if (branch.open) return
  branch.open = true
  branch.dispatchEvent(new Event('toggle'))
}

function seek(content, word) {
  for (const each of content.querySelectorAll('.found')) each.classList.remove('found')
  if (word.length < 2) return
  const lower = word.toLowerCase()
  const walk = (element) => {
    if (element.tagName === 'DETAILS') unfold(element)
    for (const child of element.children) walk(child)
  }
  walk(content)
  const hits = [...content.querySelectorAll('.leaf, summary, pre')].filter((each) =>
    each.textContent.toLowerCase().includes(lower),
  )
  hits.slice(0, 500).forEach((each) => each.classList.add('found'))
  hits[0]?.scrollIntoView({ block: 'nearest' })
}

// ---- Losses

function losses(x, marks) {
  const title = x.losses.length
    ? `⚠ ${plural(x.losses.length, 'loss', 'losses')}`
    : 'Nothing was lost'
  const lines = x.losses.map((loss) => {
    const places = h('span', { class: 'soft' })
    const line = h(
      'li',
      {},
      h('strong', { class: 'warn' }, loss.code),
      h('code', {}, loss.path),
      h('span', { class: 'soft' }, loss.detail ?? ''),
      places,
    )
    return { loss, line, places }
  })
  const carried = h('p', { class: 'soft' })
  if (x.upstream && x.dialect !== x.upstreamDialect)
    place(x, lines, marks, carried).catch(() => undefined)
  return h(
    'section',
    { class: 'box', 'aria-label': 'losses' },
    h('h3', {}, title),
    h('ul', { class: 'losses' }, ...lines.map(({ line }) => line)),
    carried,
  )
}

/** Asks where in both bodies the losses stand, and marks them there. */
async function place(x, lines, marks, carried) {
  const told = await asked(`/explain/${x.number}`, { upstream: x.upstream, model: x.sentModel })
  if (!told?.losses || shown !== x) return
  const mark = (side, at, kind, text) => at !== undefined && marks[side].set(at, { kind, text })
  for (const { path, field, sentAt } of told.proofs ?? []) {
    mark('came', field, 'proof', `proof: ${path}`)
    mark('went', sentAt, 'proof', `proof: ${path}`)
  }
  for (const { loss, places } of lines) {
    const found = told.losses.find(({ code, path }) => code === loss.code && path === loss.path)
    if (!found) continue
    const { field, sentAt } = found
    mark('came', field, 'loss', `⚠ ${loss.code} ${loss.path}`)
    mark('went', sentAt, 'loss', `⚠ ${loss.code} ${loss.path}`)
    if (field === undefined && sentAt === undefined) continue
    const where = [field ?? 'was not said', sentAt ?? 'is not sent'].join(' → ')
    places.replaceChildren(
      h('code', {}, where),
      ' ',
      h('button', { type: 'button', onclick: () => lead([field, sentAt]) }, 'show'),
    )
  }
  const proofs = told.proofs?.length ?? 0
  if (proofs)
    carried.textContent = `${plural(proofs, 'proof')} of reasoning carried: underlined in green.`
  for (const each of panes) each.redraw()
}

/** Scrolls both panes to a place of theirs. */
function lead([field, sentAt]) {
  const titles = ['what came', 'what went']
  const found = [field, sentAt].map((at, index) => {
    const holder = byId('detail').querySelector(`section[aria-label="${titles[index]}"] .content`)
    return (
      at &&
      [...(holder?.querySelectorAll('mark') ?? [])].find(
        (each) => each.closest('[data-at]').dataset.at === at,
      )
    )
  })
  for (const each of document.querySelectorAll('.found')) each.classList.remove('found')
  for (const each of found) {
    each?.classList.add('found')
    each?.scrollIntoView({ block: 'center' })
  }
  const first = found.find(Boolean)
  first?.closest('.body').focus({ preventScroll: true })
}

// ---- Time and tokens

function waterfall(x) {
  const end = Math.max(
    x.totalMs ?? 0,
    x.told?.endAt ?? 0,
    ...x.calls.map((each) => each.endAt ?? each.at),
    0.1,
  )
  const row = (name, from, to, kind) => {
    if (from === undefined || to === undefined) return []
    const bar = h('span', { class: kind })
    bar.style.left = `${(100 * from) / end}%`
    bar.style.width = `${(100 * Math.max(0, to - from)) / end}%`
    return [
      h('span', {}, name),
      h('div', { class: 'track' }, bar),
      h('span', { class: 'number' }, time(to - from)),
    ]
  }
  const first = x.calls[0]
  return h(
    'section',
    { class: 'box', 'aria-label': 'time' },
    h('h3', {}, 'time'),
    h(
      'div',
      { class: 'fall' },
      row('received', 0, x.readAt, 'one'),
      row('translated', x.readAt, first?.at, 'four'),
      ...x.calls.flatMap((call, index) => {
        const what = x.calls.length > 1 ? `attempt ${index + 1}: ` : ''
        const found = call.connectedAt ?? call.at
        return [
          row(`${what}connected`, call.at, call.connectedAt, 'two'),
          row(
            `${what}${call.status === undefined ? (call.failure ?? 'no answer') : `head, ${call.status}`}`,
            found,
            call.headAt ?? call.endAt,
            'two',
          ),
          row(`${what}reply`, call.headAt, call.endAt ?? x.told?.endAt, 'one'),
        ].flat()
      }),
      row('told', x.told?.firstAt ?? x.told?.at, x.told?.endAt, 'three'),
    ),
  )
}

function tokens(x) {
  const { usage } = x
  const box = h('section', { class: 'box', 'aria-label': 'tokens' }, h('h3', {}, 'tokens'))
  if (!usage) return (box.append(h('p', { class: 'soft' }, 'None were counted.')), box)
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0, reasoning = 0 } = usage
  const parts = [
    ['input', Math.max(0, input - cacheRead - cacheWrite), 'one'],
    ['read from the cache', cacheRead, 'three'],
    ['written to the cache', cacheWrite, 'four'],
    [reasoning ? `output (${count(reasoning)} of it thoughts)` : 'output', output, 'two'],
  ].filter(([, n]) => n > 0)
  const all = input + output || 1
  const share = input ? `, ${Math.round((100 * cacheRead) / input)} % of the input cached` : ''
  box.append(
    h(
      'div',
      {
        class: 'stack',
        role: 'img',
        'aria-label': parts.map(([name, n]) => `${name} ${n}`).join(', '),
      },
      ...parts.map(([, n, kind]) => {
        const bar = h('span', { class: kind })
        bar.style.width = `${(100 * n) / all}%`
        return bar
      }),
    ),
    h(
      'div',
      { class: 'legend' },
      ...parts.map(([name, n, kind]) =>
        h('span', {}, h('i', { class: kind }), `${name} ${count(n)}`),
      ),
    ),
    h(
      'p',
      {},
      `${plural(all, 'token')}${share}${x.cost === undefined ? '; what they cost is not known' : `, ${money(x.cost)}`}`,
    ),
  )
  return box
}

// ---- Copies

function dialog(title, ...children) {
  byId('dialog-title').textContent = title
  byId('dialog-body').replaceChildren(...children)
  if (!byId('dialog').open) byId('dialog').showModal()
}

async function copied(what, text) {
  const state = h('p', { role: 'status' })
  dialog(what, state, h('pre', { tabIndex: 0 }, text))
  try {
    await navigator.clipboard.writeText(text)
    state.textContent = 'This is in the clipboard.'
  } catch {
    state.textContent = 'The browser did not let it into the clipboard; it can be copied from here.'
  }
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`
/** A key stands there as a variable of the shell: the real one is not known here. */
const withKey = (text) => quoted(text).replaceAll('***', `'"$PROXY_KEY"'`)

function curlOf(x) {
  const host = x.came.headers.find(([name]) => name === 'host')?.[1] ?? '127.0.0.1:8787'
  const kept = x.came.headers.filter(
    ([name]) =>
      !/^(?:host|content-length|connection|accept-encoding|transfer-encoding|cookie)$/.test(name),
  )
  const headers = kept.map(
    ([name, value]) =>
      `-H ${withKey(`${name}: ${name === 'authorization' && value === '***' ? 'Bearer ***' : value}`)}`,
  )
  const body = x.came.body.text ? [`--data-binary ${quoted(x.came.body.text)}`] : []
  return [
    `curl ${withKey(`http://${host}${x.url}`)}`,
    ...(x.method === 'POST' ? [] : [`-X ${x.method}`]),
    ...headers,
    ...body,
  ].join(' \\\n  ')
}

/** What went and what came back, as one recorded exchange of the upstream's dialect. */
function replayOf(x, call) {
  if (!call) return ''
  const isStream = /event-stream/.test(call.repliedType ?? '')
  return JSON.stringify({
    id: x.id ?? `exchange-${x.number}`,
    dialect: x.upstreamDialect,
    op: 'create',
    model: x.sentModel,
    kind: isStream ? 'sse' : 'json',
    request: {
      method: call.method,
      path: call.url.replace(/^\w+:\/\/[^/]*/, ''),
      body: parsed(call.body.text ?? '')?.value,
    },
    response: {
      status: call.status,
      ...(isStream ? { sse: call.reply.text } : { body: parsed(call.reply.text ?? '')?.value }),
    },
  })
}

async function explain(x) {
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
    const marks = new Map()
    for (const { sentAt, code, path } of told.losses)
      if (sentAt !== undefined) marks.set(sentAt, { kind: 'loss', text: `⚠ ${code} ${path}` })
    result.replaceChildren(
      h(
        'div',
        {},
        h(
          'h3',
          {},
          told.losses.length
            ? `⚠ ${plural(told.losses.length, 'loss', 'losses')}`
            : 'Nothing would be lost',
        ),
        h(
          'ul',
          { class: 'losses' },
          ...told.losses.map(({ code, path, field, detail }) =>
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
      ),
      h(
        'div',
        { class: 'body tree', tabIndex: 0, role: 'group', 'aria-label': 'what would be sent' },
        tree(told.upstream, prefixed(marks, '/body')),
      ),
    )
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

const prefixed = (marks, before) => new Map([...marks].map(([at, note]) => [before + at, note]))

async function compare(x) {
  const others = [...rows.values()].filter((row) => row.number !== x.number && row.upstreamDialect)
  if (others.length === 0)
    return dialog('compare', h('p', {}, 'There is no other exchange to compare this one with.'))
  const usual =
    others.findLast((row) => row.number < x.number && row.session && row.session === x.session) ??
    others.findLast((row) => row.number < x.number && row.upstream === x.upstream) ??
    others[0]
  const choice = h(
    'select',
    { id: 'with' },
    ...others.map((row) =>
      h(
        'option',
        { value: row.number, selected: row === usual },
        `${row.number}: ${modelOf(row)} ${row.session === x.session && x.session ? '(same session)' : ''}`,
      ),
    ),
  )
  const result = h('div', { 'aria-live': 'polite' })
  const run = async () => {
    const other = await asked(`/exchange/${choice.value}`)
    const [before, after] = other.number < x.number ? [other, x] : [x, other]
    result.replaceChildren(
      comparison('what went', before.calls.at(-1)?.body, after.calls.at(-1)?.body, after),
      comparison('what came', before.came.body, after.came.body),
    )
  }
  choice.addEventListener('change', run)
  dialog('compare', h('p', {}, h('label', { htmlFor: 'with' }, 'with exchange '), choice), result)
  await run()
}

/** Where the beginning that two requests share ends: a cache of prompts reaches as far. */
function comparison(title, one, other, after) {
  if (!one?.text || !other?.text)
    return h(
      'section',
      {},
      h('h3', {}, title),
      h('p', { class: 'soft' }, 'There is no text to compare.'),
    )
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
    'section',
    { class: 'box' },
    h('h3', {}, title),
    h(
      'p',
      {},
      a === b
        ? `The same ${plural(bytesOf(a), 'byte')}.`
        : `The first ${plural(bytesOf(a.slice(0, same)), 'byte')} of ${count(bytesOf(a))} and ${count(bytesOf(b))} are the same.`,
    ),
    h(
      'p',
      {},
      broken
        ? h(
            'span',
            { class: 'warn' },
            `⚠ The prefix breaks at ${broken.at}, ${size(broken.bytes)} into ${broken.name}.`,
          )
        : 'What was said before is continued: nothing of it has changed.',
    ),
    usage?.input
      ? h(
          'p',
          { class: 'soft' },
          `The upstream read ${count(usage.cacheRead ?? 0)} of ${count(usage.input)} tokens of input from its cache.`,
        )
      : '',
    h('ul', {}, ...members.map(({ name, text }) => h('li', {}, h('code', {}, name), ` ${text}`))),
    a === b ? '' : h('pre', {}, `${around(a)}\n${around(b)}`),
  )
}

function membersOf(left, right) {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names.map((name) => {
    const [one, other] = [left[name], right[name]]
    if (JSON.stringify(one) === JSON.stringify(other)) return { name, text: 'the same' }
    if (one === undefined) return { name, text: 'is new' }
    if (other === undefined) return { name, text: 'is gone' }
    const at = difference(one, other)
    const grown = Array.isArray(one) && at.length === 1 && Number(at[0]) === one.length
    if (grown)
      return {
        name,
        text: `the same ${plural(one.length, 'element')}, and ${other.length - one.length} more`,
      }
    const path = pointer([name, ...at])
    const bytes = sharedBytes(JSON.stringify(one), JSON.stringify(other))
    return { name, text: `changed at ${path}`, at: PREFIX.has(name) ? path : undefined, bytes }
  })
}

/** What a prompt is made of. */
const PREFIX = new Set([
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
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return []
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const name = names.find((each) => JSON.stringify(one[each]) !== JSON.stringify(other[each]))
  if (name === undefined) return []
  return [name, ...(name in one && name in other ? difference(one[name], other[name]) : [])]
}

// ---- Hands

byId('filter').addEventListener('input', () => renderList())
byId('tools').addEventListener('submit', (event) => event.preventDefault())
byId('close').addEventListener('click', () => byId('dialog').close())
byId('clear').addEventListener('click', async () => {
  await asked('/clear', {})
  byId('detail').replaceChildren()
})
const pause = () => {
  paused = !paused
  byId('pause').setAttribute('aria-pressed', String(paused))
  if (!paused && waiting) {
    waiting = false
    renderList()
  } else tell()
}
byId('pause').addEventListener('click', pause)
const KEYS = [
  ['j k ↓ ↑', 'the next or the previous exchange'],
  ['Enter', 'open it'],
  ['/', 'filter; words and status:4xx dialect: loss: model: upstream: session: path:'],
  ['1 2 3 4', 'what came, what went, what came back, what was told'],
  ['c', 'curl'],
  ['p', 'pause'],
  ['Esc', 'close, back to the list'],
]
const help = () =>
  dialog(
    'keys',
    h(
      'dl',
      {},
      ...KEYS.map(([keys, means]) =>
        h(
          'div',
          {},
          h('dt', {}, ...keys.split(' ').flatMap((key) => [h('kbd', {}, key), ' '])),
          h('dd', {}, means),
        ),
      ),
    ),
  )
byId('help').addEventListener('click', help)

function move(by) {
  const buttons = rove()
  const now = buttons.indexOf(document.activeElement)
  const target = buttons[Math.min(buttons.length - 1, Math.max(0, now < 0 ? 0 : now + by))]
  if (!target) return
  rove(target)
  target.focus()
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('dialog').open) return
  const { target, key } = event
  if (target.matches('input, select, textarea')) {
    if (key === 'Escape') target.blur()
    return
  }
  const inList = target.closest('#list') || target === document.body
  const act = {
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: inList && (() => move(1)),
    ArrowUp: inList && (() => move(-1)),
    '/': () => byId('filter').focus(),
    '?': help,
    p: pause,
    c: shown && (() => copied('curl', curlOf(shown))),
    Escape: () =>
      rove()
        .find((each) => each.tabIndex === 0)
        ?.focus(),
  }[key]
  const at = Number(key)
  const titles = ['what came', 'what went', 'what came back', 'what was told']
  const section =
    at >= 1 && at <= 4
      ? byId('detail').querySelector(`section[aria-label="${titles[at - 1]}"]`)
      : undefined
  if (!act && !section) return
  event.preventDefault()
  if (act) act()
  else {
    section.focus()
    section.scrollIntoView({ block: 'nearest' })
  }
})

// ---- The feed

function take({ first, last: until, rows: changed }) {
  last = until
  for (const number of rows.keys()) if (first === undefined || number < first) rows.delete(number)
  for (const row of changed) rows.set(row.number, row)
  renderList()
  const now = rows.get(picked)
  if (
    now &&
    shown?.number === picked &&
    !shown.isOver &&
    changed.some(({ number }) => number === picked)
  )
    void open(picked)
}

async function follow() {
  for (;;) {
    try {
      const reply = await ask(`/feed?after=${last}`)
      if (reply.status === 403) return refused()
      if (!reply.ok) throw new Error(String(reply.status))
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
      byId('state').textContent = 'The proxy does not answer; it is asked again.'
    }
    await new Promise((go) => setTimeout(go, 1000))
  }
}

const refused = () =>
  byId('list').replaceChildren(
    h(
      'div',
      { class: 'empty' },
      h('h2', {}, 'This page needs its token'),
      h(
        'p',
        {},
        'Open the whole address that the proxy printed when it started, with all behind the #.',
      ),
    ),
  )

void follow()
