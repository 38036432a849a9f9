import { action, h, el, scroller, visible } from './dom.js'
import { parsed, tree } from './tree.js'
import { bytesOf, size, time } from './words.js'

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
    const comment = lines[0].startsWith(':') ? 'comment' : ''
    const kind = isEvents ? textOf(field('event')[0], json?.type, json?.object) || comment : 'piece'
    return { raw, data, json, at, gap, kind, said: saidIn(json) }
  })
}

/** The first of these that is a text. */
const textOf = (...values) => values.find((each) => typeof each === 'string') ?? ''

/** The words that an event adds, in any of the dialects. */
function saidIn(json) {
  const { delta, choices, candidates } = json ?? {}
  const choice = choices?.[0]?.delta
  const parts = candidates?.[0]?.content?.parts
  if (Array.isArray(parts)) return parts.map((part) => textOf(part?.text)).join('')
  return textOf(
    delta,
    delta?.text,
    delta?.thinking,
    delta?.partial_json,
    choice?.content,
    choice?.reasoning_content,
    choice?.tool_calls?.[0]?.function?.arguments,
  )
}

/** A failure in the middle of a stream, in any of the dialects. */
const isError = (kind, json) =>
  kind === 'error' ||
  kind === 'response.failed' ||
  (typeof json?.error === 'object' && json.error !== null)

/** `marks`: by `#` and the number of an event, with a pointer into it behind that. */
export function streamTable(body, type, marks) {
  const events = eventsOf(body, type)
  const lines = events.map((event, index) => eventLine(event, index, marks))
  const head = ['#', 'at', 'gap', 'size', 'type', 'data'].map((name, at) =>
    el('th', { scope: 'col', class: at < 4 ? 'number' : '' }, name),
  )
  const table = el(
    'table',
    { 'aria-label': 'events of the stream' },
    h('thead', h('tr', ...head)),
    h('tbody', ...lines),
  )
  return [...player(events, lines), scroller('div.body', 'events', table)]
}

function eventLine({ raw, data, json, at, gap, kind, said }, index, marks) {
  const place = `#${index + 1}`
  const note = marks.get(place)
  const within = new Map(
    [...marks].flatMap(([key, each]) =>
      key.startsWith(`${place}/`) ? [[key.slice(place.length), each]] : [],
    ),
  )
  const plain = data.length > 160 ? `${data.slice(0, 160)}…` : data || raw.trim()
  const short = said ? JSON.stringify(said) : plain
  const broke = isError(kind, json)
  const line = el('tr', { 'data-at': place, class: broke ? 'broke' : undefined })
  line.append(
    el('th', { scope: 'row', class: 'number' }, String(index + 1)),
    h('td.number', at === undefined ? '' : time(at)),
    h('td.number', gap === undefined ? '' : `+${time(gap)}`),
    h('td.number', size(bytesOf(raw))),
    h('td', note ? el('mark', { class: note.kind, title: note.text }, kind) : kind),
    h(
      'td.data',
      json && (note || data.length > 40) ? unfolding(short, json, within, line) : h('span', short),
      note ? h('span.note', note.text) : '',
      broke ? h('strong.bad', ' ✗ broke here') : '',
    ),
  )
  return line
}

/** The tree is made when it is opened, in a row of its own. */
function unfolding(short, json, marks, line) {
  let row
  const ontoggle = () => {
    row ??= h('tr', el('td.tree', { colSpan: 6 }, tree(json, marks)))
    if (details.open) line.after(row)
    else row.remove()
  }
  const details = el('details', { ontoggle, open: marks.size > 0 }, h('summary', short))
  return details
}

/** Plays a stream as fast as it came, or shows it as far as the slider stands. */
function player(events, lines) {
  const { said, told, slider, show } = timeline(events, lines)
  let playing
  const stop = () => {
    clearTimeout(playing)
    playing = undefined
    play.textContent = 'play'
  }
  const step = () => {
    const now = Number(slider.value)
    if (now >= events.length || !said.isConnected) return stop()
    // What came at once, or faster than a clock can ring, is shown at once.
    let next = now
    let gap = 0
    do gap += events[(next += 1)]?.gap ?? 0
    while (gap < 4 && next < events.length)
    show(next)
    playing = setTimeout(step, Math.min(3000, gap))
  }
  const play = action('play', () => {
    if (playing) return stop()
    if (Number(slider.value) >= events.length) show(0)
    play.textContent = 'stop'
    step()
  })
  slider.addEventListener('input', () => {
    stop()
    show(Number(slider.value))
  })
  show(events.length)
  return [h('div.time', play, slider, told), said]
}

function timeline(events, lines) {
  const said = scroller('div.said', 'said until then')
  const told = h('output')
  const slider = el('input', {
    type: 'range',
    min: 0,
    max: events.length,
    value: events.length,
    'aria-label': 'how far',
  })
  const words = events.map((event) => event.said).join('')
  let end = 0
  const ends = [0, ...events.map((event) => (end += event.said.length))]
  let shown = 0
  const show = (until) => {
    slider.value = until
    for (const line of lines.slice(Math.min(shown, until), Math.max(shown, until)))
      line.classList.toggle('later', until < shown)
    shown = until
    said.textContent = visible(words.slice(Math.max(0, ends[until] - 4000), ends[until]))
    const at = events[until - 1]?.at
    told.textContent = `event ${until} of ${events.length}${at === undefined ? '' : `, ${time(at)} after the beginning`}`
  }
  return { said, told, slider, show }
}
