import type { Frame } from '../adapters/contract.ts'

/** Where lines end in server-sent events. */
const LINE_END = /\r\n|[\n\r]/
/** Where Python's `splitlines` ends them too, on which readers are built. */
// eslint-disable-next-line no-control-regex
const OTHER_LINE_END = /[\v\f\x1c-\x1e\u0085\u2028\u2029]/
const ANY_LINE_END = new RegExp(`${LINE_END.source}|${OTHER_LINE_END.source}`)

/**
 * The events of a stream as they arrive: read line by line, in every way that lines are told apart, by nothing
 * that also writes them. Throws for what no event may hold, and where two readers would not get the same.
 */
export function framesIn(text: string): Frame[] {
  const frames = readFrames(text.split(LINE_END))
  if (!OTHER_LINE_END.test(text)) return frames
  if (JSON.stringify(readFrames(text.split(ANY_LINE_END))) !== JSON.stringify(frames))
    throw new Error('an event that ends elsewhere for some readers')
  return frames
}

function readFrames(lines: string[]): Frame[] {
  const frames: Frame[] = []
  let event: string | undefined
  let data: string[] = []
  for (const line of lines) {
    const [field = '', value = ''] = splitField(line)
    if (line === '') {
      if (data.length > 0)
        frames.push({ ...(event !== undefined && { event }), data: data.join('\n') })
      event = undefined
      data = []
    } else if (field === 'event') event = value
    else if (field === 'data') data.push(value)
    else if (field !== '') throw new Error(`a line without a field: ${line.slice(0, 80)}`)
  }
  if (data.length > 0) throw new Error('an event without its end')
  return frames
}

/** Comments have no name. */
function splitField(line: string): string[] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line]
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}
