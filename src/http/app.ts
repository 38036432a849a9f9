import { dialects } from '../../adapters/index.ts'
import type { Problem } from '../model/problem.ts'
import { authenticator } from '../upstream/credentials.ts'
import { memoriesOf } from '../memory/records.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../config/settings.ts'
import type { Answer } from '../exchange/exchange.ts'
import { receiveRequest, type ArrivalPorts } from './request-head.ts'
import { answerRequest, refuseRequest } from './router.ts'
import { guardOf, type Door } from './guard.ts'
import type { HttpRequest } from '../ports.ts'
import { loadOf } from './load.ts'
import { responseOf } from './respond.ts'
import type { AppContext } from './app-context.ts'

/** The proxy as a function. Never rejects. */
export function createAnswerer(
  settings: Settings,
  ports: Ports,
  door: Door = { kind: 'program' },
): (request: HttpRequest) => Promise<Answer> {
  const context: AppContext = {
    settings,
    ports,
    dialects,
    admit: authenticator(settings.callers),
    load: loadOf(settings.limits),
    memories: memoriesOf(settings, ports.store),
    guard: guardOf(settings.web, door),
  }
  return (request) => answerRequest(context, request)
}

/** A proxy that can do nothing but say why, in the words of whoever asks. */
export const refusingAll =
  (ports: ArrivalPorts, problem: Problem) =>
  async (request: Request): Promise<Response> =>
    toldTo(request, refuseRequest(dialects, receiveRequest(request, ports), problem))

/** The same as what the runtimes of the web call. */
export function fetcherOf(
  settings: Settings,
  ports: Ports,
  door?: Door,
): (request: Request) => Promise<Response> {
  const answer = createAnswerer(settings, ports, door)
  return async (request) => toldTo(request, await answer(request))
}

function toldTo({ method }: Request, answer: Answer): Response {
  if (method !== 'HEAD') return responseOf(answer)
  answer.gone?.()
  return new Response(null, responseOf({ ...answer, body: null }))
}
