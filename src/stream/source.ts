/** Bytes as they come, for a runtime that has them cheaper than as a stream of its own. */
export interface ByteSource {
  /** All that has come, undefined at the end; rejects when it breaks. One read at a time. */
  read(): Promise<Uint8Array | undefined>
  cancel(): void
}

/** A body in the one shape in which it is read. */
export const toSource = (body: ReadableStream<Uint8Array> | ByteSource): ByteSource =>
  'getReader' in body ? streamSource(body) : body

function streamSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(() => {}),
  }
}
