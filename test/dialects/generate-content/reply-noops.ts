import { type Json } from '../../../src/json/json.ts'
import { list, member } from '../../grammar/shape.ts'
import { type Entry } from '../../replay/noop.ts'
import {
  ALWAYS,
  COUNTED,
  DEFAULT,
  NAMED,
  ONLY,
  OWN_ID,
  PLACED,
  SUM,
  nothing,
} from '../../replay/reasons.ts'

/** Some clients ask for the numbers of an enumeration. */
const TEXT: Json[] = ['TEXT', 1]
const isText = (value: Json | undefined): boolean =>
  list(value).every((one) => TEXT.includes(member(one, 'modality') ?? null))

const BEYOND = 'beyond the text, there is no such place'

export const replyNoOps: Entry[] = [
  { path: 'responseId', upstream: 'responses', why: OWN_ID },
  { path: 'modelVersion', why: NAMED },
  { path: 'createTime', why: 'the caller is told when the proxy answered' },
  { path: 'candidates', when: (value) => list(value).every(isSilent), why: 'says nothing' },
  { path: 'candidates.*', when: isSilent, why: 'says nothing' },
  { path: 'candidates.*.index', values: [0], why: 'the first' },
  { path: 'candidates.*.finishReason', values: ['STOP', 1], why: DEFAULT },
  { path: 'candidates.*.content.role', why: ONLY },
  { path: 'candidates.*.content.invalid-field', why: 'a mistake of who recorded it' },
  { path: 'candidates.*.content.parts.*.executableCode.language', values: ['PYTHON'], why: ONLY },
  {
    path: 'candidates.*.content.parts.*.codeExecutionResult.outcome',
    values: ['OUTCOME_FAILED'],
    why: 'what is no success is a failure',
  },
  {
    path: 'candidates.*.content.parts.*.codeExecutionResult.id',
    why: 'a result stands behind its code',
  },
  {
    path: 'candidates.*.content.parts.*.executableCode.id',
    upstream: 'responses',
    why: OWN_ID,
  },
  ...['startIndex', 'endIndex', 'text'].map((name) => ({
    path: `candidates.*.groundingMetadata.groundingSupports.*.segment.${name}`,
    why: PLACED,
  })),
  ...['startIndex', 'endIndex'].map((name) => ({
    path: `candidates.*.citationMetadata.*.*.${name}`,
    upstream: 'messages',
    why: BEYOND,
  })),
  {
    path: 'candidates.*.citationMetadata.*.*.endIndex',
    upstream: 'chat-completions',
    why: BEYOND,
  },
  { path: 'usageMetadata.**', when: nothing, why: COUNTED },
  ...['prompt', 'candidates', 'cache', 'toolUsePrompt'].flatMap((name) => [
    { path: `usageMetadata.${name}TokensDetails`, when: isText, why: SUM },
    {
      path: `usageMetadata.${name}TokensDetails.*.*`,
      beside: (parent: Json) => isText([parent]),
      why: SUM,
    },
  ]),
  { path: 'usageMetadata.promptTokenCount', why: SUM },
  { path: 'usageMetadata.candidatesTokenCount', why: SUM },
  { path: 'usageMetadata.totalTokenCount', why: SUM },
  { path: 'usageMetadata.serviceTier', values: ['standard'], why: ALWAYS },
  { path: 'usageMetadata.trafficType', values: ['ON_DEMAND'], why: ALWAYS },
]

function isSilent(candidate: Json | undefined): boolean {
  return list(member(member(candidate, 'content'), 'parts')).length === 0
}
