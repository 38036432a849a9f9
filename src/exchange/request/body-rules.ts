import { ProblemError } from '../../model/problem.ts'

/**
 * A web page can send any other content type across origins without a preflight request. The header comes twice, in
 * one line, where both a program and its library set it.
 */
export function requireJson(contentType: string | null): void {
  const types = (contentType ?? '').split(',')
  if (!types.every((type) => JSON_TYPE.test(type)))
    throw unsupported('Content-Type must be application/json.')
}

const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i

export const unsupported = (message: string) =>
  new ProblemError({ kind: 'unsupported-media-type', message })

export const tooLarge = (bodyBytes: number) =>
  new ProblemError({
    kind: 'too-large',
    message: `The body is larger than the limit of ${bodyBytes} bytes.`,
  })
