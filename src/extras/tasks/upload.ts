import type { Problem } from '../../model/problem.ts'
import { CALLER_LEFT } from '../../problems/failures.ts'
import type { HttpRequest } from '../../ports.ts'
import { requireJson, tooLarge } from '../../exchange/request/body-rules.ts'

/** A caller's body on its way to an upstream. It is never whole in memory. */
export interface Upload {
  body?: ReadableStream<Uint8Array>
  /** The declared length; with it the upstream needs no chunked encoding. */
  length?: string
  /** Why the body broke off, when it did. */
  problem?: Problem
}

/**
 * Throws ProblemError for a declared length beyond the limit. A body without one breaks off where it exceeds the
 * limit.
 */
export function createUpload(request: HttpRequest, maxBytes: number): Upload {
  requireJson(request.headers.get('content-type'))
  const length = request.headers.get('content-length')
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  const reader = request.body?.getReader()
  if (!reader) return {}
  let size = 0
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const fail = (reason: Problem) => {
          upload.problem = reason
          controller.error(new Error(reason.message))
        }
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          size += value.length
          if (size <= maxBytes) return controller.enqueue(value)
          reader.cancel().catch(() => {})
          fail(tooLarge(maxBytes).problem)
        } catch {
          fail(CALLER_LEFT)
        }
      },
      cancel: () => reader.cancel().catch(() => {}),
    },
    { highWaterMark: 0 },
  )
  const upload: Upload = {
    body,
    ...(length !== null && /^\d{1,15}$/.test(length) && { length }),
  }
  return upload
}
