/** A source of bytes, for runtimes where it is cheaper than a web stream. */
export interface ByteSource {
  /** Reads all bytes that have come; undefined at the end; rejects when the source breaks. One read at a time. */
  read(): Promise<Uint8Array | undefined>
  cancel(): void
  /**
   * Where somebody looks on, the reader says here what each read has given: a promise of their own for each piece
   * costs several times as much as to keep it.
   */
  taken?(bytes: Uint8Array | undefined): void
}

/** Wraps a body in the one interface that is read. */
export const toSource = (body: ReadableStream<Uint8Array> | ByteSource): ByteSource =>
  'getReader' in body ? streamSource(body) : body

function streamSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(() => {}),
  }
}
