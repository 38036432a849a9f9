import type { DeltaTemplate } from '../../src/stream/delta-templates.ts'
import type { BlockKey } from '../../src/model/cursor.ts'
import type { Tail } from '../../src/model/events.ts'
import type { JsonObject } from '../../src/json/json.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { PartialArguments } from './partial-arguments.ts'
import { REPLY_VERBATIM } from './spelling.ts'

/** Text or thoughts that go on: each chunk brings the next piece. */
export interface Run {
  kind: 'text' | 'reasoning'
  key: BlockKey
  text: string
  tail: Tail
  /** A proof ends what it belongs to. */
  isProven: boolean
}

export interface PartialCall {
  key: BlockKey
  arguments: PartialArguments
}

export const NO_REPLY: Problem = {
  kind: 'bad-upstream',
  message: 'The upstream answered with something that is no reply.',
  retry: false,
}

/** Where the pieces of a text are, one to a chunk. */
export const PIECE = ['candidates', 0, 'content', 'parts', 0, 'text']
export const DELTA_TEMPLATE: DeltaTemplate = {
  verbatim: REPLY_VERBATIM,
  counts: [
    ['usageMetadata', 'candidatesTokenCount'],
    ['usageMetadata', 'thoughtsTokenCount'],
    ['usageMetadata', 'totalTokenCount'],
    ['usageMetadata', 'candidatesTokensDetails', 0, 'tokenCount'],
  ],
}

/** The members of a chunk, of a candidate and of a part that are understood, or nobody else's concern. */
export const CHUNK: ReadonlySet<string> = new Set([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
  'continuationToken',
  'error',
])
export const CANDIDATE: ReadonlySet<string> = new Set([
  'content',
  'finishReason',
  'index',
  'groundingMetadata',
  'citationMetadata',
  'tokenCount',
])
export const PART: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
])

/** What has none of these says nothing of a reply. */
const MEMBERS = ['candidates', 'promptFeedback', 'usageMetadata', 'modelVersion', 'responseId']

export const saysSomething = (chunk: JsonObject): boolean =>
  MEMBERS.some((name) => chunk[name] !== undefined)

/** An error inside of a good reply, in this dialect's shape or in a gateway's. */
export function isFailure(chunk: JsonObject): boolean {
  if (chunk['error'] !== undefined && chunk['error'] !== null) return true
  if ('candidates' in chunk || 'promptFeedback' in chunk || 'usageMetadata' in chunk) return false
  const { detail, object } = chunk
  return (detail !== undefined && detail !== null) || object === 'error'
}
