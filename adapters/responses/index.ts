import type { Adapter, RequestHead, Route, WriteReplyContext, Writer } from '../contract.ts'
import { isObject } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import { mayHoldMinted } from '../../src/model/ids.ts'
import { droppable, fieldNames } from '../../src/check/fields.ts'
import { mayHoldEnvelope } from '../../src/model/proof.ts'
import { storing } from './abilities.ts'
import { DIALECT, factsOf, memberCount } from './dialect.ts'
import { writeCompacted } from './hosted.ts'
import { CALL_ID } from './names.ts'
import { memory } from './memory/index.ts'
import { writeModel, writeModels } from './models.ts'
import { PROFILES } from './profiles.ts'
import { readProblem, tellsError, tellsFailure, writeProblem } from './problems.ts'
import { readRequest, REQUEST_VERBATIM, writeCountRequest, writeRequest } from './request.ts'
import { ResponseReader } from './reader.ts'
import { socketMode } from './socket/index.ts'
import { ResponseWriter } from './writer.ts'
import { edit } from './same.ts'
import { streamThread } from './memory/stream-thread.ts'
import { placeOf, MUST_KEEP, FIELDS } from './wire.ts'

/** Every event type of this dialect begins with one of these. */
const KNOWN = /^(?:response\.|error|keepalive)/
const DELTA = /^response\..+\.delta$/
const KNOWN_DATA = /"type"\s*:\s*"(?:response\.|error|keepalive)/

const OPERATIONS: Record<string, Route['operation']> = {
  '/v1/responses': 'create',
  '/v1/responses/input_tokens': 'count-tokens',
}

/** The path at which `client.responses.compact` asks for a summary of a conversation. */
const COMPACT = '/v1/responses/compact'

function match({ method, path }: RequestHead): Route | undefined {
  if (path === COMPACT && method === 'POST')
    return { operation: 'create', compacts: true, stream: false }
  const operation = Object.hasOwn(OPERATIONS, path) ? OPERATIONS[path] : undefined
  return operation && method === 'POST' ? { operation } : undefined
}

function writer(context: WriteReplyContext): Writer {
  const whole = new ResponseWriter(context)
  if (factsOf(context.request).said === undefined) return whole
  return {
    push: (event) => whole.push(event),
    body: () => writeCompacted(whole.body(), context),
  }
}

/**
 * Events that bring a piece of the reply and nothing else, besides all deltas. Ends, failures and usage come in other
 * events. `response.output_item.done` is missing, because the item may be a call.
 */
const PIECES: ReadonlySet<string> = new Set([
  'response.content_part.added',
  'response.content_part.done',
  'response.output_item.added',
  'response.output_text.done',
  'response.refusal.done',
  'response.reasoning_text.done',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_part.done',
  'response.reasoning_summary_text.done',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.done',
])

/** `POST /v1/responses`: typed items in, typed items out. In a stream each item has events of its own. */
export const responses: Adapter = {
  dialect: DIALECT,
  caller: {
    verbatim: REQUEST_VERBATIM,
    match,
    readRequest,
    writer,
    callIds: CALL_ID,
    mustKeep: MUST_KEEP,
    writeProblem,
    writeTokenCount: (inputTokens) => ({
      object: 'response.input_tokens',
      input_tokens: inputTokens,
    }),
    writeModels,
    writeModel,
    memory,
    sockets: socketMode,
    heartbeat: 'comment',
  },
  upstream: {
    defaultAuth: 'bearer',
    // The address that clients are given ends in the version (Volcengine's in v3). For an address without one (Azure
    // with a dated version) the whole endpoint has to be configured.
    versions: /(?:\/(v\d+(?:(?:alpha|beta)\d*)?(?:\/openai)?))?(?:\/responses)?$/,
    compacts: true,
    searchesFiles: true,
    ends: {
      azure: '/openai/v1',
      bedrock: '/openai/v1',
      'bedrock-mantle': '/v1',
      vertex: '/publishers/openai/v1',
    },
    droppable: () => droppable(FIELDS, placeOf),
    profiles: PROFILES,
    // Arguments and inputs are strings in this dialect, so no subtree has to stay text.
    verbatim: verbatimPaths(),
    storing,
    writeRequest,
    writeCountRequest,
    readTokenCount: (body) => (isObject(body) ? memberCount(body, 'input_tokens') : undefined),
    reader: (context) => new ResponseReader(context),
    readProblem,
  },
  same: {
    edit,
    path: (head) => head.path,
    outputBound: (body) => body.memberText('max_output_tokens'),
    query: [],
    mayHoldForeign: (text) => mayHoldEnvelope(text) || mayHoldMinted(text),
    isRenamed: (text, { namespaces, customTools }) =>
      (namespaces === false && text.includes('"namespace"')) ||
      (customTools === false && text.includes('"custom"')),
    passing: {
      isPiece: (name) => DELTA.test(name) || PIECES.has(name),
      isOwnFrame: ({ event = '', data }) => KNOWN.test(event) || KNOWN_DATA.test(data),
      tellsFailure,
      tellsError,
      streamThread,
    },
    headers: {
      request: ['openai-organization', 'openai-project', 'openai-beta', 'idempotency-key'],
      reply: /^(?:openai-(?:processing-ms|version)$|x-codex-)/,
    },
    modelMember: { request: 'model', reply: 'model', event: ['response', 'model'] },
    beginning: { instructions: 'instructions', turns: 'input' },
  },
  members: fieldNames({ fields: FIELDS }),
}
