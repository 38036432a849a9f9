import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import type { Adapter, RequestHead, Route } from '../contract.ts'
import { droppable, fieldNames } from '../../src/check/fields.ts'
import { dotted } from '../../src/model/paths.ts'
import { mayHoldEnvelope } from '../../src/model/proof.ts'
import { storing } from './abilities.ts'
import { CALL_ID, DIALECT } from './dialect.ts'
import { BETAS } from './clouds/betas.ts'
import { FORMS } from './clouds/forms.ts'
import * as models from './models.ts'
import { PROFILES } from './profiles.ts'
import { readProblem, tellsError, tellsFailure, writeProblem } from './problems.ts'
import { MessageReader } from './reader.ts'
import { demandVersion, readRequest, VERBATIM, writeCountRequest, writeRequest } from './request.ts'
import { MessageWriter } from './writer.ts'
import { edit } from './same.ts'
import { placeOf, MUST_KEEP, FIELDS } from './wire.ts'

/** How the types of this dialect's events begin. */
const KNOWN = /^(?:message|content_block|ping|error)/
const KNOWN_DATA = /"type"\s*:\s*"(?:message|content_block|ping|error)/

const OPERATIONS = new Map<string, Route['operation']>([
  ['/v1/messages', 'create'],
  ['/v1/messages/count_tokens', 'count-tokens'],
])

function match({ method, path }: RequestHead): Route | undefined {
  const operation = method === 'POST' ? OPERATIONS.get(path) : undefined
  return operation && { operation }
}

/** `POST /v1/messages`: a list of messages in, one message out. */
export const messages: Adapter = {
  dialect: DIALECT,
  caller: {
    verbatim: verbatimPaths(...VERBATIM),
    match,
    readRequest,
    writer: (context) => new MessageWriter(context),
    callIds: CALL_ID,
    mustKeep: MUST_KEEP,
    writeProblem,
    writeTokenCount: models.writeTokenCount,
    writeModels: models.writeModels,
    writeModel: models.writeModel,
    heartbeat: { name: 'ping', data: { type: 'ping' } },
  },
  upstream: {
    defaultAuth: 'x-api-key',
    compacts: true,
    cachesChoice: true,
    droppable: () => droppable(FIELDS, placeOf),
    profiles: PROFILES,
    forms: FORMS,
    betas: BETAS,
    ends: {
      bedrock: '/anthropic',
      'bedrock-mantle': '/anthropic',
      foundry: '/anthropic',
      vertex: '/publishers/anthropic',
    },
    verbatim: verbatimPaths('content.*.input'),
    storing,
    writeRequest,
    writeCountRequest,
    readTokenCount: models.readTokenCount,
    reader: (context) => new MessageReader(context),
    readProblem,
  },
  same: {
    edit,
    mayHoldForeign: mayHoldEnvelope,
    path: ({ path }) => path,
    outputBound: (body) => body.memberText('max_tokens'),
    query: ['beta'],
    passing: {
      isPiece: (name) => name === 'content_block_delta',
      isOwnFrame: ({ event = '', data }) => KNOWN.test(event) || KNOWN_DATA.test(data),
      tellsFailure,
      tellsError,
    },
    headers: {
      // The headers that Claude Code (2.1.330) asks a gateway to pass; more may be added.
      request: [
        'anthropic-version',
        'provider-version',
        'anthropic-beta',
        'provider-beta',
        'user-agent',
      ],
      others: /^(?:anthropic|x-stainless)-/,
      twins: [
        ['anthropic-version', 'provider-version'],
        ['anthropic-beta', 'provider-beta'],
      ],
      reply: /^anthropic-/,
      demand: demandVersion,
    },
    modelMember: { request: 'model', reply: 'model', event: ['message', 'model'] },
    beginning: { instructions: 'system', turns: 'messages' },
  },
  members: { ...fieldNames({ fields: FIELDS }), spell: dotted },
}
