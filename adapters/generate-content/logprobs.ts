import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Logprob } from '../../src/model/request.ts'
import { many } from './dialect.ts'

/** Reads `logprobsResult`, which has two lists: the token of each place, and the likeliest tokens of each place. */
export function readTokens(result: Json | undefined, lose: Lose): Logprob[] {
  if (!isObject(result)) return []
  const { chosenCandidates, topCandidates } = result
  const others = many(topCandidates)
  return many(chosenCandidates).flatMap((one, place) => {
    const other = others[place]
    const top = isObject(other) ? many(other['candidates']).flatMap(readToken) : []
    if (isObject(one) && (one['tokenId'] ?? null) !== null)
      lose('dropped', 'reply.logprobs.tokenId')
    return readToken(one).map((token) => ({ ...token, ...(top.length > 0 && { top }) }))
  })
}

function readToken(value: Json): Logprob[] {
  if (!isObject(value)) return []
  const { token, logProbability } = value
  if (typeof token !== 'string') return []
  // A certain token has the logarithm 0, and the wire may leave out zeros.
  return [{ token, logprob: typeof logProbability === 'number' ? logProbability : 0 }]
}

/** Inverse of `readTokens`, with the average. The model's own numbers of tokens (`tokenId`) are not known. */
export function writeTokens(list: readonly Logprob[], lose: Lose): JsonObject {
  if (list.length === 0) return {}
  const hasBytes = ({ bytes, top = [] }: Logprob): boolean =>
    bytes !== undefined || top.some(hasBytes)
  if (list.some(hasBytes)) lose('dropped', 'reply.logprobs.bytes')
  const sum = list.reduce((total, { logprob }) => total + logprob, 0)
  const isRich = list.some(({ top }) => top)
  return {
    avgLogprobs: sum / list.length,
    logprobsResult: {
      ...(isRich && {
        topCandidates: list.map(({ top = [] }) => ({ candidates: top.map(writeToken) })),
      }),
      chosenCandidates: list.map(writeToken),
      logProbabilitySum: sum,
    },
  }
}

const writeToken = ({ token, logprob }: Logprob): JsonObject => ({ token, logProbability: logprob })
