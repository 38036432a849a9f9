import type { Adapter, RequestHead, Reader, Route, WireEvent } from '../../adapters/contract.ts'
import type { Dialects } from '../../adapters/index.ts'
import { fieldNames } from '../../src/check/fields.ts'
import { Cursor } from '../../src/model/cursor.ts'
import { isObject, type Json } from '../../src/json/json.ts'
import { verbatimPaths } from '../../src/json/verbatim-paths.ts'
import type { JsonObject } from '../../src/model/request.ts'
import { invalid, statusOf } from '../../src/model/problem.ts'

/**
 * Two tiny dialects, as different as two real ones: `plain` names the model in the body and its streams'
 * first event, bears comments and counts nothing; `pathy` names it in the path, streams arrays where asked
 * to, bears no heartbeat and has a counter.
 */
export interface FakeOptions {
  dialect: string
  pathy: boolean
}

const PATHY = /^\/v1(?:beta)?\/pathy\/([^/:]+):(run|stream|count)$/

function fakeAdapter({ dialect, pathy }: FakeOptions): Adapter {
  return {
    dialect,
    members: fieldNames(),
    caller: {
      verbatim: verbatimPaths('input'),
      match: (incoming) => (pathy ? pathyRoute(incoming) : plainRoute(incoming)),
      readRequest(body, { route }) {
        if (!isObject(body) || typeof body['text'] !== 'string')
          throw invalid('text: expected a string', 'text')
        const { text, model, stream, topK, previous } = body
        return {
          model: route.model ?? String(model ?? ''),
          stream: route.stream ?? stream === true,
          system: [],
          turns: [{ role: 'user', blocks: [{ kind: 'text', text }] }],
          tools: [],
          limits: {},
          sampling: typeof topK === 'number' ? { topK } : {},
          ...(typeof previous === 'string' && { previous }),
        }
      },
      writer: ({ request }) => fakeWriter(request.model, pathy),
      writeProblem: (problem, requestId) => ({
        status: statusOf(problem),
        body: {
          [`${dialect}Error`]: problem.message,
          kind: problem.kind,
          ...(problem.param !== undefined && { param: problem.param }),
          id: requestId,
        },
      }),
      writeTokenCount: (tokens) => ({ tokens }),
      writeModels: (models) => ({ shape: dialect, models: models.map(({ id }) => id) }),
      writeModel: ({ id }) => ({ shape: dialect, id }),
      ...(!pathy && { heartbeat: 'comment' as const }),
    },
    upstream: {
      defaultAuth: pathy ? 'query' : 'bearer',
      droppable: () => [],
      storing: () => ({ isTold: false, stores: false }),
      verbatim: verbatimPaths('input'),
      writeRequest(request, { target, lose }) {
        if (pathy && request.sampling.topK !== undefined) lose('dropped', 'sampling.topK')
        const [block] = request.turns[0]?.blocks ?? []
        const text = block?.kind === 'text' ? block.text : ''
        const stream = request.stream ? { stream: true } : {}
        return pathy
          ? {
              path: `/v1beta/pathy/${target.model}:${request.stream ? 'stream' : 'run'}`,
              ...(request.stream && { query: [['alt', 'sse']] as const }),
              headers: { 'pathy-version': '1' },
              body: { text },
            }
          : { path: '/v1/plain', headers: {}, body: { model: target.model, text, ...stream } }
      },
      writeCountRequest: (_, { target }) =>
        pathy
          ? { path: `/v1beta/pathy/${target.model}:count`, headers: {}, body: { text: 'x' } }
          : undefined,
      readTokenCount: (body) =>
        isObject(body) && typeof body['tokens'] === 'number' ? body['tokens'] : undefined,
      reader: () => fakeReader(pathy),
      readProblem: (status, body) => ({
        kind: status === 429 ? 'rate-limit' : status < 500 ? 'invalid-request' : 'unavailable',
        status,
        message: isObject(body) ? String(body['error'] ?? 'failed') : 'failed',
      }),
    },
    same: {
      edit: (body, { model }) =>
        model === undefined || body['model'] === undefined ? body : { ...body, model },
      mayHoldForeign: () => false,
      passing: {},
      path: ({ path }, model) =>
        model === undefined ? path : path.replace(/[^/:]+:/, `${model}:`),
      query: pathy ? ['alt'] : ['beta'],
      headers: {
        request: pathy ? [] : ['plain-version', 'other-version'],
        ...(!pathy && { twins: [['plain-version', 'other-version']] as const }),
        reply: new RegExp(`^${dialect}-rate-`),
      },
      modelMember: pathy
        ? { reply: 'modelName' }
        : { request: 'model', reply: 'model', event: ['reply', 'model'] },
    },
  }
}

function plainRoute({ method, path }: RequestHead): Route | undefined {
  if (method !== 'POST') return undefined
  if (path === '/v1/plain') return { operation: 'create' }
  return path === '/v1/plain/count' ? { operation: 'count-tokens' } : undefined
}

function pathyRoute({ method, path, query }: RequestHead): Route | undefined {
  const [, model, action] = PATHY.exec(path) ?? []
  if (method !== 'POST' || model === undefined) return undefined
  if (action === 'count') return { operation: 'count-tokens', model }
  const framing = query.get('alt') === 'sse' ? 'sse' : 'json-array'
  return { operation: 'create', model, stream: action === 'stream', framing }
}

const frame = (body: JsonObject): WireEvent[] => [{ data: body }]

function fakeWriter(model: string, pathy: boolean): ReturnType<Adapter['caller']['writer']> {
  let text = ''
  return {
    push(event) {
      if (event.type === 'start')
        return pathy ? frame({ modelName: model }) : frame({ t: 'start', reply: { model } })
      if (event.type === 'block-delta') {
        text += event.text
        return frame({ t: 'text', text: event.text })
      }
      if (event.type === 'finish') return frame({ t: 'end' })
      return event.type === 'error' ? frame({ t: 'error', error: event.problem.message }) : []
    },
    body: () => (pathy ? { modelName: model, text } : { model, text }),
  }
}

function fakeReader(pathy: boolean): Reader {
  const cursor = new Cursor()
  const take = (json: Json) => {
    if (!isObject(json)) return
    const reply = json['reply']
    const model = pathy ? json['modelName'] : isObject(reply) ? reply['model'] : json['model']
    if (typeof model === 'string') cursor.start('id', model)
    if (typeof json['text'] === 'string') {
      cursor.open('text', { kind: 'text', text: '' })
      cursor.delta('text', json['text'])
    }
    if (typeof json['tokens'] === 'number') cursor.usage({ output: json['tokens'] })
    if (typeof json['error'] === 'string')
      cursor.fail({ kind: 'overloaded', message: json['error'] })
    if (json['t'] !== 'end') return
    cursor.finish('stop')
    cursor.done()
  }
  return {
    body(json) {
      for (const part of Array.isArray(json) ? json : [json]) take(part)
      if (!Array.isArray(json)) take({ t: 'end' })
      return cursor.drain()
    },
    push({ data }) {
      take(data)
      return cursor.drain()
    },
    end() {
      cursor.done()
      return cursor.drain()
    },
  }
}

const list = [
  fakeAdapter({ dialect: 'plain', pathy: false }),
  fakeAdapter({ dialect: 'pathy', pathy: true }),
]

export const fakes: Dialects = {
  list,
  of: (dialect) => list.find((adapter) => adapter.dialect === dialect),
  resembling: (path) => {
    const [plain, pathy] = list
    const found = path.startsWith('/v1beta') ? pathy : plain
    if (!found) throw new Error('no dialect')
    return found
  },
}
