import { isObject } from '../../src/json/json.ts'
import type { Adapter } from '../contract.ts'
import { droppable, fieldNames } from '../../src/check/fields.ts'
import { mayHoldEnvelope } from '../../src/model/proof.ts'
import { storing } from './abilities.ts'
import { DIALECT } from './dialect.ts'
import { writeModel, writeModels } from './models.ts'
import { match, passPath, writePublished } from './paths.ts'
import { readProblem, tellsError, tellsFailure, writeProblem } from './problems.ts'
import { ReplyReader } from './reader.ts'
import { readRequest, writeCountRequest, writeRequest } from './request.ts'
import {
  optionPlace,
  placeOf,
  MUST_KEEP,
  REPLY_VERBATIM,
  REQUEST_VERBATIM,
  FIELDS,
  OPTIONS,
} from './wire.ts'
import { ReplyWriter } from './writer.ts'
import { edit } from './same.ts'

/** Every chunk of the dialect has one of these members. */
const KNOWN = /"(?:candidates|prompt_?[fF]eedback|usage_?[mM]etadata|error)"\s*:/

/** Only `generationConfig` has this member. */
const OUTPUT_BOUND = /"max(?:OutputTokens|_output_tokens)"\s*:\s*"?(\d{1,15})/

/** `POST /v1beta/models/{model}:generateContent`, and `:streamGenerateContent` for streams. */
export const generateContent: Adapter = {
  dialect: DIALECT,
  // No heartbeat: clients of this dialect crash on a comment in a stream.
  caller: {
    verbatim: REQUEST_VERBATIM,
    match,
    readRequest,
    writer: (context) => new ReplyWriter(context),
    mustKeep: MUST_KEEP,
    sources: new Set(['file-search', 'retrieval']),
    writeProblem: (problem) => writeProblem(problem),
    writeTokenCount: (inputTokens) => ({ totalTokens: inputTokens }),
    writeModels: (models) => writeModels(models),
    writeModel: (model) => writeModel(model),
  },
  upstream: {
    // The specification puts the key into the address, but proxies on the way write addresses to their logs.
    defaultAuth: 'x-goog-api-key',
    // At Google Cloud the version stands before the project, so none follows the end of a configured path.
    forms: { publisher: { end: /\/publishers\/[\w-]+$/, write: writePublished } },
    ends: { vertex: '/publishers/google' },
    droppable: () => [...droppable(OPTIONS, optionPlace), ...droppable(FIELDS, placeOf)],
    verbatim: REPLY_VERBATIM,
    storing,
    writeRequest,
    writeCountRequest,
    readTokenCount(body) {
      const total = isObject(body) ? body['totalTokens'] : undefined
      return typeof total === 'number' ? total : undefined
    },
    reader: (context) => new ReplyReader(context),
    readProblem,
  },
  same: {
    edit,
    mayHoldForeign: mayHoldEnvelope,
    path: passPath,
    outputBound: ({ text }) => OUTPUT_BOUND.exec(text)?.[1],
    query: ['alt'],
    headers: { request: ['x-goog-api-client'] },
    passing: { isOwnFrame: ({ data }) => KNOWN.test(data), tellsFailure, tellsError },
    modelMember: { reply: 'modelVersion' },
    beginning: { instructions: 'systemInstruction', turns: 'contents' },
  },
  members: fieldNames({ fields: OPTIONS, within: 'generationConfig' }, { fields: FIELDS }),
}
