/** Frames of `application/vnd.amazon.eventstream`, written apart from what reads them. */
export function frameOf(headers: Record<string, string>, payload: string): Uint8Array {
  const encoder = new TextEncoder()
  const head = Object.entries(headers).flatMap(([name, value]) => {
    const [key, text] = [encoder.encode(name), encoder.encode(value)]
    return [key.length, ...key, 7, text.length >> 8, text.length & 255, ...text]
  })
  const body = [...encoder.encode(payload)]
  const total = 12 + head.length + body.length + 4
  const prelude = [...word(total), ...word(head.length)]
  const before = [...prelude, ...word(sumOf(prelude)), ...head, ...body]
  return Uint8Array.from([...before, ...word(sumOf(before))])
}

const word = (value: number): number[] => [24, 16, 8, 0].map((by) => (value >>> by) & 255)

/** CRC-32, bit by bit. */
function sumOf(bytes: readonly number[]): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}

export const chunk = (event: unknown, more: object = {}): Uint8Array => {
  const text = typeof event === 'string' ? event : JSON.stringify(event)
  const bytes = btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  return frameOf(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes, ...more }),
  )
}

export const exception = (type: string, message: string): Uint8Array =>
  frameOf(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  )
