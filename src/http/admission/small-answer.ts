import { joinBytes, utf8Text } from '../../json/bytes.ts'
import type { Ports, UpstreamRequest } from '../../ports.ts'
import { toSource } from '../../stream/source.ts'
import { SILENT, within } from '../../stream/time.ts'

type Question = Pick<UpstreamRequest, 'method' | 'url' | 'headers' | 'body'>

export interface SmallAnswer {
  status: number
  text: string
}

interface Bounds {
  ms: number
  bytes: number
  /** The caller for whom it is asked may leave. */
  signal?: AbortSignal
}

/** Asks a configured address and no other: redirects are not followed. Rejects where the answer is late, or too long. */
export async function smallAnswer(
  { send }: Pick<Ports, 'send'>,
  question: Question,
  { ms, bytes, signal }: Bounds,
): Promise<SmallAnswer> {
  const ended = AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])])
  const read = async () => {
    const { status, body } = await send({ ...question, signal: ended, connectMs: ms })
    return { status, text: body ? await textOf(toSource(body), bytes) : '' }
  }
  const answer = await within(read(), ms)
  if (answer === SILENT) throw new Error(`it did not answer within ${ms} ms`)
  return answer
}

async function textOf(source: ReturnType<typeof toSource>, most: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (let bytes = await source.read(); bytes; bytes = await source.read()) {
    size += bytes.length
    if (size > most) {
      source.cancel()
      throw new Error(`it answered more than ${most} bytes`)
    }
    pieces.push(bytes)
  }
  return utf8Text(joinBytes(pieces))
}
