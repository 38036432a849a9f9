import { dialects } from '../../adapters/index.ts'
import type { Problem } from '../canonical/problem.ts'
import { doorkeeper } from '../gateway/credentials.ts'
import { memoriesOf } from '../gateway/memories.ts'
import type { Ports } from '../gateway/ports.ts'
import type { Settings } from '../gateway/settings.ts'
import type { Answer } from '../gateway/exchange.ts'
import { arrivalOf, type ArrivalPorts, type Asked } from './arrival.ts'
import { answerRequest, refuseRequest } from './front.ts'
import { guardOf, type Door } from './guard.ts'
import { loadOf } from './load.ts'
import { responseOf } from './respond.ts'
import type { Site } from './site.ts'

/** The proxy as a function. Never rejects. */
export function answererOf(
  settings: Settings,
  ports: Ports,
  door: Door = { kind: 'program' },
): (request: Asked) => Promise<Answer> {
  const site: Site = {
    settings,
    ports,
    dialects,
    admit: doorkeeper(settings.callers),
    load: loadOf(settings.limits),
    memories: memoriesOf(settings, ports.store),
    guard: guardOf(settings.web, door),
  }
  return (request) => answerRequest(site, request)
}

/** A proxy that can do nothing but say why, in the words of whoever asks. */
export const refusingAll =
  (ports: ArrivalPorts, problem: Problem) =>
  async (request: Request): Promise<Response> =>
    toldTo(request, refuseRequest(dialects, arrivalOf(request, ports), problem))

/** The same as what the runtimes of the web call. */
export function fetcherOf(
  settings: Settings,
  ports: Ports,
  door?: Door,
): (request: Request) => Promise<Response> {
  const answer = answererOf(settings, ports, door)
  return async (request) => toldTo(request, await answer(request))
}

function toldTo({ method }: Request, answer: Answer): Response {
  if (method !== 'HEAD') return responseOf(answer)
  answer.gone?.()
  return new Response(null, responseOf({ ...answer, body: null }))
}
