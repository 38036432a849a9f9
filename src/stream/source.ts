/** A source of bytes, for runtimes where it is cheaper than a web stream. */
export interface ByteSource {
  /** Reads all bytes that have come; undefined at the end; rejects when the source breaks. One read at a time. */
  read(): Promise<Uint8Array | undefined>
  cancel(): void
  /**
   * What a read has given, told by its reader. The page keeps pieces by this: a promise of its own for each of them
   * cost several times as much as to keep it.
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
