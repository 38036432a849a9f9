import type { Adapter, WrittenRequest } from '../../../adapters/contract.ts'
import type { Lookup } from '../../model/lookup.ts'
import { emptyRequest } from '../../rules/empty-request.ts'

const SAMPLE_TOKENS = 200

/** A minimal request in a dialect, written by its own adapter. */
export function writeSample({ upstream }: Adapter, model: string, stream = false): WrittenRequest {
  const request = {
    ...emptyRequest(model, stream),
    turns: [{ role: 'user' as const, blocks: [{ kind: 'text' as const, text: 'Hello!' }] }],
    limits: { maxOutputTokens: SAMPLE_TOKENS },
  }
  const target = { model, defaultMaxOutputTokens: SAMPLE_TOKENS, facts: {} }
  return upstream.writeRequest(request, { target, lose: () => undefined })
}

/** The required headers of a dialect, for requests that came without headers. */
export const ownHeaders = (adapter: Adapter): Lookup =>
  new Headers(writeSample(adapter, 'model').headers)
