import { type FileHandle, open } from 'node:fs/promises'

/** So many characters of lines may wait for the disk. */
const MOST_WAITING = 32 * 1024 * 1024
const MINUTE_MS = 60_000

/** A file to which lines are appended, without anybody waiting for it. */
export interface LineFile {
  write(line: string): void
  /** Counts a line that never came to be written. */
  dropped(): void
  close(): Promise<void>
}

interface Bounds {
  /** The file grows to this, also where several processes write to it. */
  maxBytes: number
  /** Hears at most once a minute how many lines were dropped since, and why. */
  tell(dropped: number, why: string): void
  now(): number
}

/** Only this user may read the file, because it holds conversations. Rejects where it cannot be opened. */
export async function lineFile(path: string, bounds: Bounds): Promise<LineFile> {
  const file = await open(path, 'a', 0o600)
  if ((await file.stat()).isFile()) await file.chmod(0o600)
  return new AppendedFile(file, bounds)
}

class AppendedFile implements LineFile {
  readonly #file: FileHandle
  readonly #bounds: Bounds
  #waiting: string[] = []
  #held = 0
  #writing: Promise<void> | undefined
  /** A line may have been written in part. */
  #isBroken = false
  #dropped = 0
  #why = ''
  #reportedAt = -Infinity

  constructor(file: FileHandle, bounds: Bounds) {
    this.#file = file
    this.#bounds = bounds
  }

  write(line: string): void {
    if (this.#held + line.length > MOST_WAITING) return this.#drop(1, 'the disk is slow')
    this.#held += line.length
    this.#waiting.push(line)
    this.#writing ??= this.#writeAll()
  }

  dropped(): void {
    this.#drop(1, 'there was no room for its bodies')
  }

  async close(): Promise<void> {
    await this.#writing
    this.#tell(true)
    await this.#file.close()
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting
      this.#waiting = []
      await this.#append(lines)
      this.#held -= lines.reduce((sum, { length }) => sum + length, 0)
    }
    this.#writing = undefined
  }

  async #append(lines: readonly string[]): Promise<void> {
    try {
      const { size } = await this.#file.stat()
      const bytes = Buffer.from((this.#isBroken ? '\n' : '') + lines.join(''))
      const room = this.#bounds.maxBytes - size
      if (bytes.length > room) return this.#fit(lines, room)
      await this.#writeBytes(bytes)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'it failed'
      this.#drop(lines.length, code)
    }
  }

  /** As many whole lines as there is room for. */
  async #fit(lines: readonly string[], room: number): Promise<void> {
    let left = room
    let many = 0
    for (const line of lines) {
      left -= Buffer.byteLength(line)
      if (left < 0) break
      many += 1
    }
    if (many > 0) await this.#writeBytes(Buffer.from(lines.slice(0, many).join('')))
    this.#drop(lines.length - many, 'the file is as large as record.maxBytes')
  }

  async #writeBytes(bytes: Buffer): Promise<void> {
    this.#isBroken = true
    await this.#file.appendFile(bytes)
    this.#isBroken = false
  }

  #drop(many: number, why: string): void {
    this.#dropped += many
    this.#why = why
    this.#tell()
  }

  #tell(isLast = false): void {
    const now = this.#bounds.now()
    if (this.#dropped === 0 || (!isLast && now - this.#reportedAt < MINUTE_MS)) return
    this.#reportedAt = now
    this.#bounds.tell(this.#dropped, this.#why)
    this.#dropped = 0
  }
}
