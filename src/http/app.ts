import { dialects } from '../../adapters/index.ts'
import type { Problem } from '../model/problem.ts'
import { authenticator } from '../upstream/credentials.ts'
import { createMemories } from '../memory/records.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../config/settings.ts'
import type { Answer } from '../exchange/exchange.ts'
import { receiveRequest, type ArrivalPorts } from './request-head.ts'
import { answerRequest, refuseRequest } from './router.ts'
import { createGuard, type Door } from './guard.ts'
import type { HttpRequest } from '../ports.ts'
import { createCallerUse } from './caller-use.ts'
import { createLoad } from './load.ts'
import { toResponse } from './respond.ts'
import type { AppContext } from './app-context.ts'

/** The proxy as a function. Never rejects. */
export function createHandler(
  settings: Settings,
  ports: Ports,
  door: Door = { kind: 'program' },
): (request: HttpRequest) => Promise<Answer> {
  const use = createCallerUse(ports.now)
  const context: AppContext = {
    settings,
    ports: {
      ...ports,
      log(entry) {
        if (entry.caller !== undefined) use.settle(entry.caller, entry.usage, entry.cost)
        ports.log(entry)
      },
    },
    dialects,
    admit: authenticator(settings.callers, ports.now),
    use,
    load: createLoad(settings.limits),
    memories: createMemories(settings, ports.store),
    guard: createGuard(settings.web, door),
  }
  return (request) => answerRequest(context, request)
}

/** A proxy that can do nothing but say why, in the words of whoever asks. */
export const refusingAll =
  (ports: ArrivalPorts, problem: Problem) =>
  async (request: Request): Promise<Response> =>
    toldTo(request, refuseRequest(dialects, receiveRequest(request, ports), problem))

/** The same as what the runtimes of the web call. */
export function createFetchHandler(
  settings: Settings,
  ports: Ports,
  door?: Door,
): (request: Request) => Promise<Response> {
  const answer = createHandler(settings, ports, door)
  return async (request) => toldTo(request, await answer(request))
}

function toldTo({ method }: Request, answer: Answer): Response {
  if (method !== 'HEAD') return toResponse(answer)
  answer.gone?.()
  return new Response(null, toResponse({ ...answer, body: null }))
}
