import type { ByteSource, UpstreamResponse } from '../ports.ts'

/** A body in the one shape in which it is read. */
export const sourceOf = (body: NonNullable<UpstreamResponse['body']>): ByteSource =>
  'getReader' in body ? streamSource(body) : body

function streamSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader()
  return {
    read: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(() => {}),
  }
}
