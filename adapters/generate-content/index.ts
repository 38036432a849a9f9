import { isObject } from '../../src/json/json.ts'
import type { Adapter } from '../contract.ts'
import { fieldNames } from '../../src/model/fields.ts'
import { mayHoldEnvelope } from '../../src/model/proof.ts'
import { DIALECT } from './dialect.ts'
import { writeModel, writeModels } from './models.ts'
import { match, passPath } from './paths.ts'
import { readProblem, tellsFailure, writeProblem } from './problems.ts'
import { ReplyReader } from './reader.ts'
import { readRequest, writeCountRequest, writeRequest } from './request.ts'
import { DROPPABLE, PROMISES, REPLY_VERBATIM, REQUEST_VERBATIM, FIELDS, OPTIONS } from './wire.ts'
import { ReplyWriter } from './writer.ts'
import { edit } from './same.ts'

/** One of these is a member of every chunk. */
const KNOWN = /"(?:candidates|prompt_?[fF]eedback|usage_?[mM]etadata|error)"\s*:/

/** In a chunk that ends a reply, blocks it or fails, or in one whose text has such a word. */
const TELLING = /finish|feedback|error/i

/** The content-generation dialect: `POST /v1beta/models/{model}:generateContent` and its streamed sister. */
export const generateContent: Adapter = {
  dialect: DIALECT,
  // No heartbeat: clients of this dialect end their process on a comment.
  caller: {
    verbatim: REQUEST_VERBATIM,
    match,
    readRequest,
    writer: (context) => new ReplyWriter(context),
    promises: PROMISES,
    writeProblem: (problem) => writeProblem(problem),
    writeTokenCount: (inputTokens) => ({ totalTokens: inputTokens }),
    writeModels: (models) => writeModels(models),
    writeModel: (model) => writeModel(model),
  },
  upstream: {
    // Its documentation puts the key into the address, and addresses land in the logs of proxies on the way.
    defaultAuth: 'x-goog-api-key',
    droppable: DROPPABLE,
    verbatim: REPLY_VERBATIM,
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
    query: ['alt'],
    headers: { request: ['x-goog-api-client'] },
    isPiece: ({ data }) => data.includes('"candidates"') && !TELLING.test(data),
    tellsFailure,
    knows: ({ data }) => KNOWN.test(data),
    modelMember: { reply: 'modelVersion' },
    beginning: { instructions: 'systemInstruction', turns: 'contents' },
  },
  members: fieldNames({ fields: OPTIONS, within: 'generationConfig' }, { fields: FIELDS }),
}
