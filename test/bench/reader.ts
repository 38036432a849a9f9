const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const LINE_END = 2
const HEAD_END = '\r\n\r\n'

type Stage = 'head' | 'body' | 'size' | 'data' | 'data-end' | 'trailer' | 'complete'

/** Takes a part of a body: a view that is valid during the call only. */
export type BodyTap = (chunk: Buffer) => void

/**
 * One HTTP/1.1 message after another, with as little work as tells where it ends: the first line, a length or
 * chunks. A message with neither has no body.
 */
export class MessageReader {
  startLine = ''
  /** Bytes of the body so far. */
  bytes = 0
  #stage: Stage = 'head'
  #head = ''
  #left = 0
  #size = 0
  #lineLength = 0
  readonly #tap: BodyTap | undefined

  constructor(tap?: BodyTap) {
    this.#tap = tap
  }

  /** Whether the message is complete with this chunk; the next chunk then begins another one. */
  push(chunk: Buffer): boolean {
    if (this.#stage === 'complete') this.#restart()
    let at = this.#stage === 'head' ? this.#readHead(chunk) : 0
    if (this.#stage === 'body') this.#readBody(chunk, at)
    else while (at < chunk.length && this.#isChunked()) at = this.#readChunked(chunk, at)
    return this.#stage === 'complete'
  }

  #restart(): void {
    this.#stage = 'head'
    this.#head = ''
    this.bytes = 0
  }

  #readHead(chunk: Buffer): number {
    const before = this.#head.length
    this.#head += chunk.toString('latin1')
    const end = this.#head.indexOf(HEAD_END, Math.max(0, before - HEAD_END.length))
    if (end < 0) return chunk.length
    const head = this.#head.slice(0, end)
    this.#head = ''
    this.startLine = head.slice(0, head.indexOf('\r\n'))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length !== undefined) this.#expect(Number(length))
    else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#beginSize()
    else this.#stage = 'complete'
    return end + HEAD_END.length - before
  }

  #expect(length: number): void {
    this.#left = length
    this.#stage = length === 0 ? 'complete' : 'body'
  }

  #readBody(chunk: Buffer, from: number): void {
    this.#take(chunk, from)
    if (this.#left === 0) this.#stage = 'complete'
  }

  /** As much of what is left as the chunk holds; yields where it ends. */
  #take(chunk: Buffer, from: number): number {
    const end = Math.min(chunk.length, from + this.#left)
    this.#left -= end - from
    this.bytes += end - from
    if (this.#tap && end > from) this.#tap(chunk.subarray(from, end))
    return end
  }

  #isChunked(): boolean {
    return this.#stage !== 'complete' && this.#stage !== 'head'
  }

  #beginSize(): void {
    this.#stage = 'size'
    this.#size = 0
  }

  #readChunked(chunk: Buffer, at: number): number {
    const next = this.#readWhole(chunk, at)
    if (next > at) return next
    if (this.#stage !== 'data') return this.#readLine(chunk[at] ?? 0, at)
    const end = this.#take(chunk, at)
    if (this.#left === 0) this.#stage = 'data-end'
    return end
  }

  /** A chunk of which all has come, as most have: its end, or where it begins when it is another case. */
  #readWhole(chunk: Buffer, at: number): number {
    if (this.#stage !== 'size' || this.#size !== 0) return at
    let size = 0
    let data = at
    for (; ; data += 1) {
      const digit = hexDigit(chunk[data] ?? 0)
      if (digit < 0) break
      size = size * 16 + digit
    }
    const end = data + LINE_END + size
    if (size === 0 || chunk[data] !== CARRIAGE_RETURN || end + LINE_END > chunk.length) return at
    this.#left = size
    this.#take(chunk, data + LINE_END)
    return end + LINE_END
  }

  #readLine(byte: number, at: number): number {
    if (this.#stage === 'size') this.#readSize(byte)
    else if (this.#stage === 'data-end') {
      if (byte === LINE_FEED) this.#beginSize()
    } else this.#readTrailer(byte)
    return at + 1
  }

  #readSize(byte: number): void {
    if (byte !== LINE_FEED) {
      const digit = hexDigit(byte)
      if (digit >= 0) this.#size = this.#size * 16 + digit
      return
    }
    this.#left = this.#size
    this.#lineLength = 0
    this.#stage = this.#size === 0 ? 'trailer' : 'data'
  }

  /** The message ends with an empty line. */
  #readTrailer(byte: number): void {
    if (byte !== LINE_FEED) this.#lineLength += 1
    else if (this.#lineLength <= 1) this.#stage = 'complete'
    else this.#lineLength = 0
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
