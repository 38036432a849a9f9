import { action, h, scroller, visible } from './dom.js'
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
    const kind = isEvents
      ? (field('event')[0] ??
        json?.type ??
        json?.object ??
        (lines[0].startsWith(':') ? 'comment' : ''))
      : 'piece'
    return { raw, data, json, at, gap, kind, said: String(saidIn(json)) }
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

/** `marks`: by `#` and the number of an event, with a pointer into it behind that. */
export function streamTable(body, type, startAt, marks) {
  const events = eventsOf(body, type)
  const lines = events.map((event, index) => eventLine(event, index, startAt, marks))
  const head = ['#', 'at', 'gap', 'size', 'type', 'data'].map((name, at) =>
    h('th', { scope: 'col', class: at < 4 ? 'number' : '' }, name),
  )
  const table = h(
    'table',
    { 'aria-label': 'events of the stream' },
    h('thead', h('tr', ...head)),
    h('tbody', ...lines),
  )
  return [...player(events, lines, startAt), scroller('div.body', 'events', table)]
}

function eventLine({ raw, data, json, at, gap, kind, said }, index, startAt, marks) {
  const place = `#${index + 1}`
  const note = marks.get(place)
  const within = new Map(
    [...marks].flatMap(([key, each]) =>
      key.startsWith(`${place}/`) ? [[key.slice(place.length), each]] : [],
    ),
  )
  const plain = data.length > 160 ? `${data.slice(0, 160)}…` : data || raw.trim()
  const short = said ? JSON.stringify(said) : plain
  const line = h('tr', { 'data-at': place })
  line.append(
    h('th', { scope: 'row', class: 'number' }, String(index + 1)),
    h('td.number', at === undefined ? '' : time(at - startAt)),
    h('td.number', gap === undefined ? '' : `+${time(gap)}`),
    h('td.number', size(bytesOf(raw))),
    h('td', note ? h('mark', { class: note.kind, title: note.text }, kind) : kind),
    h(
      'td.data',
      json && (note || data.length > 40) ? unfolding(short, json, within, line) : h('span', short),
      note ? h('span.note', note.text) : '',
    ),
  )
  return line
}

/** The tree is made when it is opened, in a row of its own. */
function unfolding(short, json, marks, line) {
  let row
  const ontoggle = () => {
    row ??= h('tr', h('td.tree', { colSpan: 6 }, tree(json, marks)))
    if (details.open) line.after(row)
    else row.remove()
  }
  const details = h('details', { ontoggle, open: marks.size > 0 }, h('summary', short))
  return details
}

/** Plays a stream as fast as it came, or shows it as far as the slider stands. */
function player(events, lines, startAt) {
  const { said, told, slider, show } = timeline(events, lines, startAt)
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

function timeline(events, lines, startAt) {
  const said = scroller('div.said', 'said until then')
  const told = h('output')
  const slider = h('input', {
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
    told.textContent = `event ${until} of ${events.length}${at === undefined ? '' : `, ${time(at - startAt)} after the beginning`}`
  }
  return { said, told, slider, show }
}
