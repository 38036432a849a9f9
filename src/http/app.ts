import { dialects } from '../../adapters/index.ts'
import type { Problem } from '../model/problem.ts'
import { authenticator } from '../upstream/credentials.ts'
import { createPools } from '../upstream/pools.ts'
import { createMemories, renewedMemories } from '../memory/records.ts'
import type { Accept, Ports } from '../ports.ts'
import type { Settings } from '../config/settings.ts'
import type { Answer } from '../exchange/exchange.ts'
import { receiveRequest, type ArrivalPorts } from './request-head.ts'
import { answerRequest, refuseRequest } from './router.ts'
import { createGuard, type Door } from './admission/guard.ts'
import type { HttpRequest } from '../ports.ts'
import { costOf, takenFor } from '../observe/cost.ts'
import { createCallerUse, type CallerUse } from './admission/caller-use.ts'
import { tokenVerifier } from './admission/jwt.ts'
import { createLoad, type Load } from './admission/load.ts'
import { clientReader } from './client.ts'
import { toResponse } from './respond.ts'
import { createSoleCaller } from './admission/sole-caller.ts'
import type { AppContext, AppPorts } from './app-context.ts'
import { Hub } from '../sockets/hub.ts'

/** The proxy as one function. It never rejects. */
export const createHandler = (
  settings: Settings,
  ports: AppPorts,
  door?: Door,
): ReplaceableHandler['answer'] => createReplaceable(settings, ports, door).answer

/** The proxy with settings that can be replaced while it answers. */
export interface ReplaceableHandler {
  answer(request: HttpRequest): Promise<Answer>
  /** The same for a request that may become a socket; its answer then has an `accept`. */
  upgrade(request: HttpRequest): Promise<Answer>
  readonly sockets: Pick<Hub, 'drain' | 'mostBytes' | 'open' | 'underway'>
  /**
   * Requests from now on are answered by these settings. Exchanges that have begun keep theirs; the promise resolves
   * when the last of them is over. Counters go on.
   */
  replace(settings: Settings): Promise<void>
}

export function createReplaceable(
  settings: Settings,
  given: AppPorts,
  door: Door = { kind: 'program' },
): ReplaceableHandler {
  const use = useOf(given)
  const load = createLoad(settings.limits)
  const pools = createPools(given)
  const soleCaller = createSoleCaller(door)
  const hub = new Hub(settings.limits)
  const sockets = () => hub
  given.observer?.reads({ ...load, recalled: recalledBy(given), breakers: pools.breakers, sockets })
  const generation = (next: Settings, memories = createMemories(next, given.store)) => {
    const counted = countedLoad(load)
    const ports = settlingPorts(given, use, next)
    const context: AppContext = {
      settings: next,
      ports,
      dialects,
      ...admittance(next, given),
      observer: given.observer,
      use,
      load: counted.load,
      pools,
      memories,
      soleCaller,
      tasks: given.tasks,
      guard: createGuard(next.web, door),
      clientOf: next.log?.client ? clientReader(door) : undefined,
    }
    return { context, over: counted.over }
  }
  let current = generation(settings)
  const answer = (request: HttpRequest) =>
    answerWatched(contextFor(current.context, request), request)
  return {
    answer,
    upgrade: (request) => answerRequest({ ...current.context, sockets: { hub, answer } }, request),
    sockets: hub,
    replace(next) {
      const { context, over } = current
      load.bound(next.limits)
      hub.bound(next.limits)
      given.recall?.bound(next.recallBytes ?? 0)
      pools.renew(next)
      current = generation(next, renewedMemories(next, context.memories))
      return over()
    },
  }
}

type Admittance = Pick<AppContext, 'admit' | 'admitOperator' | 'operator' | 'verifyToken'>

const admittance = (settings: Settings, ports: AppPorts): Admittance => ({
  admit: authenticator(settings.callers, ports.now),
  admitOperator: ports.operator?.admits(settings),
  operator: ports.operator,
  ...(settings.callers.kind === 'keys' &&
    settings.callers.jwt && { verifyToken: tokenVerifier(settings.callers.jwt, ports) }),
})

function useOf({ now, sharing }: AppPorts): CallerUse {
  const own = createCallerUse(now)
  return sharing?.(own) ?? own
}

const recalledBy =
  ({ recall }: Ports) =>
  (): number =>
    recall?.held ?? 0

function answerWatched(context: AppContext, request: HttpRequest): Promise<Answer> {
  const { inspector } = context.ports
  if (!inspector) return answerRequest(context, request)
  return inspector.watch(request, context.ports, (seen, ports) =>
    answerRequest({ ...context, ports }, seen),
  )
}

/** What a request on a socket continues, and this proxy alone can know, is looked for here alone. */
const contextFor = (context: AppContext, { connection }: HttpRequest): AppContext =>
  connection?.isOurs ? { ...context, soleCaller: undefined } : context

/**
 * The same ports, whose log also counts what the caller used, the cost, the metrics and the trace of each exchange.
 */
function settlingPorts(given: Ports, use: CallerUse, settings: Settings): Ports {
  return {
    ...given,
    log(entry) {
      const { trace, upstream = '', sentModel, usage, caller, operation } = entry
      const asked = settings.upstreams.get(upstream)
      const cost = costOf(asked, sentModel, usage, given.prices)
      // The entry was made for this log, so it is not copied.
      if (cost !== undefined) entry.cost = cost
      // A caller of the same dialect is not corrected by what is known.
      const isTranslated =
        entry.upstreamDialect !== undefined && entry.upstreamDialect !== entry.dialect
      const taken = sentModel && isTranslated ? takenFor(asked, sentModel) : undefined
      if (taken !== undefined) entry.takenFor = taken
      // The log has the id of a trace, and nothing else of it.
      if (trace) Object.assign(entry, { traceId: trace.traceId, trace: undefined })
      // To read a reply again costs nothing.
      if (caller !== undefined && operation !== 'stored') use.settle(caller, usage, cost)
      given.observer?.finished(entry, settings)
      if (trace) given.tracer?.finished(entry, trace, settings)
      given.log(entry)
    },
  }
}

/** The same load. It also knows when the exchanges that entered through it are over. */
function countedLoad(load: Load): { load: Load; over(): Promise<void> } {
  let open = 0
  let ended: (() => void) | undefined
  const counted: Load = {
    ...load,
    enter() {
      const leave = load.enter()
      open += 1
      return () => {
        leave()
        open -= 1
        if (open === 0) ended?.()
      }
    },
  }
  const over = () =>
    new Promise<void>((resolve) => {
      ended = resolve
      if (open === 0) resolve()
    })
  return { load: counted, over }
}

/** A proxy that refuses every request with one problem, in the caller's dialect. */
export const refusingAll =
  ({ tasks, ...ports }: ArrivalPorts & Pick<AppPorts, 'tasks'>, problem: Problem) =>
  async (request: Request): Promise<Response> =>
    answerTo(request, refuseRequest({ dialects, tasks }, receiveRequest(request, ports), problem))

/** The proxy as a function of the web's `Request` and `Response`. */
export const createFetchHandler = (
  settings: Settings,
  ports: AppPorts,
  door?: Door,
): ((request: Request) => Promise<Response>) => fetchOf(createHandler(settings, ports, door))

/** The same of a handler. `open`: how a socket is opened, where that may be asked for. */
export const fetchOf =
  (answer: ReplaceableHandler['answer'], open?: (accept: Accept) => Response) =>
  async (request: Request): Promise<Response> => {
    const said = await answer(request)
    return said.accept && open ? open(said.accept) : answerTo(request, said)
  }

function answerTo({ method }: Request, answer: Answer): Response {
  if (method !== 'HEAD') return toResponse(answer)
  answer.gone?.()
  return new Response(null, toResponse({ ...answer, body: null }))
}
