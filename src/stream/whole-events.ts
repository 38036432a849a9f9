import { joinBytes, NOTHING, Pile, utf8Text, wholeBytes } from '../json/bytes.ts'
import { slicesAt, spliceStrings } from '../json/slices.ts'

/**
 * Passes a stream in whole events: an incomplete event is held back, so that something can be written behind the
 * last whole one. The bytes are unchanged, except for a renamed model.
 */
export interface PassingShape {
  push(bytes: Uint8Array): Uint8Array
  /** The bytes that are still held. */
  rest(): Uint8Array
  /** The text that ends an event of which a part has passed, so that another event can follow. */
  closing?(): string
}

/** The model's name for the caller, and its path in an event. */
export interface Renaming {
  path: readonly string[]
  model: string
}

const LF = 10
const CR = 13

/** Server-sent events, byte by byte. An event larger than `maxBytes` passes in parts. */
export function eventShape(maxBytes: number): PassingShape {
  const held = new Pile()
  let isParted = false
  const seam = new Seam()
  const take = (): Uint8Array => wholeBytes(held.take())
  return {
    push(bytes) {
      // A blank line may begin in the bytes before.
      const end = behindLastBlankLine(bytes) || seam.blankLineEnd(bytes)
      seam.add(bytes)
      // Most upstreams send each event, or several, in a piece of their own.
      if (end > 0 && end === bytes.length && held.size === 0) {
        isParted = false
        return bytes
      }
      if (end <= 0) {
        held.add(bytes)
        if (held.size <= maxBytes) return NOTHING
        isParted = true
        return take()
      }
      isParted = false
      held.add(bytes.subarray(0, end))
      const whole = take()
      held.add(bytes.subarray(end))
      return whole
    },
    rest() {
      const rest = take()
      const lacksEnd = isParted || (rest.length > 0 && isEvent(rest))
      return lacksEnd ? joinBytes([rest, missingEnd(rest)]) : rest
    },
    closing: () => (isParted ? '\n\n' : ''),
  }
}

const LINE_END = /\r\n|[\n\r]/

/** Whether only the final blank line of an event is missing: most readers drop such an event. */
function isEvent(bytes: Uint8Array): boolean {
  const lines = new TextDecoder().decode(bytes).split(LINE_END)
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5))
  const text = data.join('\n').trim()
  if (text === '[DONE]') return true
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** Behind CR, one LF would still belong to the same line end. */
const missingEnd = (bytes: Uint8Array): Uint8Array =>
  new TextEncoder().encode(bytes.at(-1) === LF ? '\n' : '\n\n')

/** The last two bytes so far. They are copied, because a view of them would keep their whole piece. */
class Seam {
  #before: number | undefined
  #last: number | undefined

  /** Where in `bytes` a blank line ends that began before them; not above 0 for none. */
  blankLineEnd(bytes: Uint8Array): number {
    const tail = [this.#before, this.#last].filter((byte) => byte !== undefined)
    return behindLastBlankLine(Uint8Array.from([...tail, ...bytes.subarray(0, 2)])) - tail.length
  }

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#before = bytes.length > 1 ? bytes[bytes.length - 2] : this.#last
    this.#last = bytes[bytes.length - 1]
  }
}

/** The index behind the last blank line, 0 without one. Lines end in LF, CR LF or CR. */
function behindLastBlankLine(bytes: Uint8Array): number {
  for (let end = bytes.length; end > 1; end -= 1) {
    const last = bytes[end - 1]
    const before = bytes[end - 2]
    if (last === LF && before === LF) return end
    if (last === LF && before === CR && bytes[end - 3] === LF) return end
    if (last === CR && before === CR && bytes[end] !== LF) return end
  }
  return 0
}

/** Server-sent events with the model renamed. */
export function renamedEventShape(maxBytes: number, renaming: Renaming): PassingShape {
  const events = eventShape(maxBytes)
  const rename = (bytes: Uint8Array) => recoded(bytes, (text) => renameInLines(text, renaming))
  return {
    ...events,
    push: (bytes) => rename(events.push(bytes)),
    rest: () => rename(events.rest()),
  }
}

function recoded(bytes: Uint8Array, change: (text: string) => string): Uint8Array {
  if (bytes.length === 0) return bytes
  const text = utf8Text(bytes)
  const changed = change(text)
  return changed === text ? bytes : new TextEncoder().encode(changed)
}

/** The lines that make up the data of one event. */
const DATA = /(?:^\u{feff}?data:[^\r\n]*(?:\r\n|[\n\r]|$))+/gmu
const DATA_LINE = /(\u{feff}?data:)([^\r\n]*)(\r\n|[\n\r]|$)/gu

function renameInLines(text: string, renaming: Renaming): string {
  const member = `"${renaming.path.at(-1)}"`
  if (!text.includes(member)) return text
  return text.replace(DATA, (lines) =>
    lines.includes(member) ? renameInData(lines, renaming) : lines,
  )
}

/** JSON may span several lines; the renamed data keeps their number. */
function renameInData(lines: string, renaming: Renaming): string {
  const found = [...lines.matchAll(DATA_LINE)]
  const json = found.map(([, , data = '']) => data).join('\n')
  const renamed = renameIn(json, renaming).split('\n')
  return found
    .map(([, field = '', , end = ''], index) => field + (renamed[index] ?? '') + end)
    .join('')
}

const renameIn = (json: string, { path, model }: Renaming): string =>
  spliceStrings(json, slicesAt(json, path), model)

/**
 * The same without some events. `mayHold`: whether what was pushed may have ended one of them; `isTaken`: by the data of
 * an event.
 */
export function shapeWithout(
  shape: PassingShape,
  mayHold: () => boolean,
  isTaken: (data: string) => boolean,
): PassingShape {
  const strip = (bytes: Uint8Array) =>
    recoded(bytes, (text) =>
      text
        .split(BEHIND_BLANK_LINE)
        .filter((event) => !isTaken(dataIn(event)))
        .join(''),
    )
  return {
    ...shape,
    push(bytes) {
      const whole = shape.push(bytes)
      return mayHold() ? strip(whole) : whole
    },
    rest: () => strip(shape.rest()),
  }
}

export const BEHIND_BLANK_LINE = /(?<=\n\r?\n|\r\r)/

const dataIn = (event: string): string =>
  [...event.matchAll(DATA_LINE)].map(([, , data = '']) => data).join('\n')

/** A JSON array that grows: each element passes when it is whole, edited by `edit`, unless nothing of it is left. */
export function elementShape(
  renaming: Renaming | undefined,
  edit: (element: string) => string = (element) => element,
): PassingShape {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const encoder = new TextEncoder()
  const elements = elementScanner()
  let held = ''
  let isOpen = false
  const change = (text: string) => {
    const start = text.indexOf('{')
    if (start < 0) return text
    const element = text.slice(start)
    const edited = edit(renaming ? renameIn(element, renaming) : element)
    // With the comma before it.
    return edited === '' ? '' : text.slice(0, start) + edited
  }
  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true })
      let out = ''
      let from = 0
      for (const end of elements(text)) {
        out += change(held + text.slice(from, end))
        held = ''
        from = end
        isOpen = true
      }
      held += text.slice(from)
      return encoder.encode(out)
    },
    rest() {
      const rest = held + decoder.decode()
      held = ''
      // An upstream may stop behind an error; a list without its end could not be read.
      return encoder.encode(isOpen && /^[\s,]*$/.test(rest) ? ']' : rest)
    },
  }
}

/** The indices behind the elements that end in a text; the text continues those before. */
function elementScanner(): (text: string) => number[] {
  let depth = 0
  let quoted = false
  let escaped = false
  return (text) => {
    const ends: number[] = []
    for (let at = 0; at < text.length; at += 1) {
      const sign = text[at]
      if (escaped) escaped = false
      else if (quoted) {
        if (sign === '\\') escaped = true
        else if (sign === '"') quoted = false
      } else if (sign === '"') quoted = true
      else if (sign === '{' || sign === '[') depth += 1
      else if (sign === '}' || sign === ']') {
        depth -= 1
        if (depth === 1) ends.push(at + 1)
      }
    }
    return ends
  }
}
