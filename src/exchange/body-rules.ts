import { ProblemError } from '../model/problem.ts'

/** A web page can send any other content type across origins without a preflight request. */
export function requireJson(contentType: string | null): void {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw unsupported('Content-Type must be application/json.')
}

export const unsupported = (message: string) =>
  new ProblemError({ kind: 'unsupported-media-type', message })

export const tooLarge = (bodyBytes: number) =>
  new ProblemError({
    kind: 'too-large',
    message: `The body is larger than the limit of ${bodyBytes} bytes.`,
  })
