import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import type { Adapter, RequestHead, Route } from '../contract.ts'
import { counting } from './usage.ts'
import { storing } from './abilities.ts'
import { DIALECT } from './dialect.ts'
import { edit } from './same.ts'
import { droppable, fieldNames } from '../../src/check/fields.ts'
import { mayHoldEnvelope } from '../../src/model/proof.ts'
import * as models from './models.ts'
import { PROFILES } from './profiles.ts'
import { placeOf, MUST_KEEP, FIELDS } from './wire.ts'
import { readProblem, tellsError, tellsFailure, writeProblem } from './problems.ts'
import { CompletionReader } from './reader.ts'
import { failsWithin } from './reply.ts'
import { readRequest, VERBATIM, writeRequest } from './request.ts'
import { CompletionWriter } from './writer.ts'

/** One of these is a member of every chunk. */
const KNOWN = /"(?:choices|usage|error)"\s*:/

const PATH = '/v1/chat/completions'

const match = ({ method, path }: RequestHead): Route | undefined =>
  method === 'POST' && path === PATH ? { operation: 'create' } : undefined

/** `POST /v1/chat/completions`: a list of messages in, one message out. Most servers speak this dialect. */
export const chatCompletions: Adapter = {
  dialect: DIALECT,
  caller: {
    verbatim: verbatimPaths(...VERBATIM),
    match,
    readRequest,
    writer: (context) => new CompletionWriter(context),
    mustKeep: MUST_KEEP,
    writeProblem,
    writeTokenCount: models.writeTokenCount,
    writeModels: models.writeModels,
    writeModel: models.writeModel,
    heartbeat: 'comment',
  },
  upstream: {
    defaultAuth: 'bearer',
    // The address that clients are given ends in the version: Z.AI's in v4, Gemini's in v1beta/openai, DeepInfra's in
    // v1/openai. For an address without one (Perplexity, GitHub Models) the whole endpoint has to be configured.
    versions: /(?:\/(v\d+(?:(?:alpha|beta)\d*)?(?:\/openai)?))?(?:\/chat\/completions)?$/,
    // The paths of Vertex, and of Azure with a dated version, which have no version of the dialect in them.
    forms: { bare: { end: /\/endpoints\/openapi$|\/openai\/deployments\/[^/]+$/ } },
    ends: {
      azure: '/openai/v1',
      bedrock: '/openai/v1',
      'bedrock-mantle': '/v1',
      vertex: '/endpoints/openapi',
    },
    droppable: () => droppable(FIELDS, placeOf),
    profiles: PROFILES,
    verbatim: verbatimPaths(),
    storing,
    writeRequest,
    // There is no counter of tokens here, so counts are estimated.
    writeCountRequest: () => undefined,
    readTokenCount: () => undefined,
    reader: (context) => new CompletionReader(context),
    readProblem,
  },
  same: {
    edit,
    path: ({ path }) => path,
    outputBound: (body) =>
      body.memberText('max_completion_tokens') ?? body.memberText('max_tokens'),
    query: [],
    mayHoldForeign: mayHoldEnvelope,
    counting,
    isRenamed: (text, { customTools }) => customTools === false && text.includes('"custom"'),
    passing: {
      isOwnFrame: ({ data }) => KNOWN.test(data),
      tellsFailure,
      tellsError,
      failsWithin,
    },
    headers: {
      request: ['openai-organization', 'openai-project', 'idempotency-key'],
      reply: /^openai-(?:processing-ms|version)$/,
    },
    modelMember: { request: 'model', reply: 'model' },
    beginning: { turns: 'messages' },
  },
  members: fieldNames({ fields: FIELDS }),
}
