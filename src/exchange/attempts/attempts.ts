import type { RoutedRequest } from '../stages.ts'
import {
  CALLER_LEFT,
  CONNECTION_LOST,
  KEY_REFUSED,
  NO_FIRST_BYTE,
  isNoReply,
  NOT_JSON,
  toProblem,
  WENT_SILENT,
} from '../../problems/failures.ts'
import { ENDED_EARLY } from '../../model/cursor.ts'
import { ProblemError, type Problem } from '../../model/problem.ts'
import type { FailoverSettings } from '../../config/settings.ts'
import { ATTEMPTS_SHOWN, type Attempt } from '../../observe/entry.ts'
import type { SentRequest } from '../../upstream/request.ts'
import { CallError, type UpstreamCall } from '../../upstream/call.ts'
import type { Breaker, Leave } from '../../upstream/breaker.ts'
import { failoverOf, type Member } from '../../upstream/members.ts'
import { sentModel, windowAt } from '../../upstream/route.ts'
import {
  causeName,
  isPassingOver,
  judge,
  kindOfFailure,
  mayHop,
  saysHowLong,
  type Cause,
  type Verdict,
} from '../../upstream/verdict.ts'
import { replyHeaders } from '../answers/answer.ts'
import type { AdmittedRequest, Answer, Context } from '../exchange.ts'
import { memberOrder, type MemberOrder } from './member-order.ts'
import { planFor } from '../request/planner.ts'
import type { Plan } from '../request/plan.ts'
import { RefusedError, refuseLosses, StillbornError } from '../answers/refusal.ts'
import { ask, carryOut, refusalAnswer } from './attempt.ts'

/** One exchange on a route of several members, over all its attempts. */
interface Run {
  readonly admitted: AdmittedRequest
  readonly routed: RoutedRequest
  readonly failover: FailoverSettings
  readonly order: MemberOrder
  readonly startedAt: number
  readonly attempts: Attempt[]
  /** In which ways it has failed so far, where it may itself be at fault. */
  readonly doubts: Set<ReturnType<typeof kindOfFailure>>
  /** Members that this request does not ask again. */
  readonly triedMembers: Member[]
  /** The problems of members that cannot serve this request at all. */
  readonly refusals: ProblemError[]
  /** How long it has waited for members that were out, in milliseconds. */
  waited: number
}

/** Asks one member after the other, until one answers or the request must not be repeated. Throws ProblemError. */
export async function runPooled(
  routed: RoutedRequest,
  members: readonly Member[],
): Promise<Answer> {
  const order = memberOrder(routed, members)
  const run = createRun(routed, order instanceof Promise ? await order : order)
  let failed: Failed | undefined
  for (;;) {
    // Plans and answers are awaited here: each async function less saves time in every request.
    let next = failed?.again
    while (!next) {
      const free = freeMember(run, failed)
      const member = free ?? leastBad(run, failed)
      try {
        if (member) {
          const plan = await planFor(routed, member, true)
          next = startAttempt(run, member, plan, free === undefined)
        }
      } catch (error) {
        skipMember(run, member, error)
      }
      if (!member && !(await waitForMember(run)))
        return failed ? lastAnswer(run, failed) : refuseAll(run)
    }
    const trial = trialOf(run, next)
    try {
      const answer = await carryOut(run.admitted, next.plan, trial.heard)
      answered(run, next, trial.call !== undefined)
      return withAttempts(run, answer)
    } catch (error) {
      failed = failedBy(run, next, trial, error)
    }
    if (!(await mayGoOn(run, failed))) return lastAnswer(run, failed)
    run.admitted.journal.restart()
  }
}

const createRun = (routed: RoutedRequest, order: MemberOrder): Run => ({
  admitted: routed.asked,
  routed,
  failover: failoverOf(routed.asked.settings, routed.route),
  order,
  startedAt: routed.asked.ports.now(),
  attempts: [],
  doubts: new Set(),
  triedMembers: [],
  refusals: [],
  waited: 0,
})

/** A member that may be asked, and the plan for it. */
interface Next {
  member: Member
  plan: Plan
  leave: Leave
}

interface Failed extends Next {
  cause: Cause | undefined
  verdict: Verdict
  error: unknown
  call: UpstreamCall | undefined
  /** Set where the same member is to be asked once more. */
  again: Next | undefined
}

const now = ({ admitted }: Run): number => admitted.ports.now()

/** The model's name at a member. */
const modelAt = ({ routed }: Run, member: Member): string => sentModel(member, routed.model)

/**
 * Undefined where another request has taken the probe of the member. Throws ProblemError for a plan that must not be
 * carried out. `isForced`: the member is out, and asked all the same.
 */
function startAttempt(run: Run, member: Member, plan: Plan, isForced: boolean): Next | undefined {
  checkPlan(run, plan)
  const breaker = run.admitted.pools.breakerOf(member, run.admitted)
  const leave = isForced ? breaker.force() : breaker.enter(now(run))
  return leave && { member, plan, leave }
}

/** Notes that the member cannot serve this request. */
function skipMember(
  { refusals, triedMembers }: Run,
  member: Member | undefined,
  error: unknown,
): void {
  if (!member || !(error instanceof ProblemError)) throw error
  refusals.push(error)
  triedMembers.push(member)
}

/** The first member that may be asked now. */
function freeMember(run: Run, failed: Failed | undefined): Member | undefined {
  return run.order
    .members(failed !== undefined)
    .find(
      (member) =>
        !run.triedMembers.includes(member) &&
        mayServe(run, member, failed) &&
        run.admitted.pools.mayAsk(member, run.admitted, modelAt(run, member)),
    )
}

/**
 * Where no other is left, the member that is back first of those that are out for nothing but failures that requests may
 * have caused: a few bad requests of one caller must not close a route to all others.
 */
function leastBad(run: Run, failed: Failed | undefined): Member | undefined {
  if (failed) return undefined
  const { admitted, order, triedMembers } = run
  const doubtful = order
    .members(true)
    .filter(
      (member) =>
        !triedMembers.includes(member) &&
        admitted.pools.isDoubtful(member, admitted, modelAt(run, member)),
    )
  return doubtful.toSorted((one, other) => untilAt(run, one) - untilAt(run, other))[0]
}

const untilAt = (run: Run, member: Member): number =>
  run.admitted.pools.until(member, run.admitted, modelAt(run, member))

/** After a refusal for length only a member with a larger or unknown window is asked. */
function mayServe(run: Run, member: Member, failed: Failed | undefined): boolean {
  if (!failed?.verdict.needsWindow) return true
  const [known, before] = [member, failed.member].map((each) => windowAt(each, run.routed.model))
  return known === undefined || before === undefined || known > before
}

/** Throws ProblemError for a plan that must not be carried out. */
function checkPlan({ admitted }: Run, plan: Plan): void {
  admitted.journal.note({ stream: plan.stream, losses: plan.losses })
  if (admitted.settings.losses !== 'reject') return
  try {
    refuseLosses(plan.losses)
  } catch (error) {
    throw new ProblemError(toProblem(error), replyHeaders(plan, undefined, plan.losses))
  }
}

/** How often a request looks whether the probe of another one is over. */
const PROBED_MS = 10

/** Waits for a member, and returns whether one may have come back within the configured time. */
async function waitForMember(run: Run): Promise<boolean> {
  const { admitted, failover } = run
  const left = run.order.members(true).filter((member) => !run.triedMembers.includes(member))
  const end = soonestEnd(run, left) - now(run)
  // A member whose time is over, and which may not be asked all the same, is being probed.
  const wait = end > 0 ? end : PROBED_MS
  run.waited += wait
  if (run.waited > failover.waitMs || wait > budgetLeft(run)) return false
  await pause(wait, admitted.signal)
  if (admitted.signal.aborted) throw new ProblemError(CALLER_LEFT)
  return true
}

/** When the first of these members may be asked again. */
const soonestEnd = (run: Run, members: readonly Member[]): number =>
  Math.min(...members.map((member) => untilAt(run, member)))

const budgetLeft = (run: Run): number => run.failover.budgetMs - (now(run) - run.startedAt)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })

/** One attempt, from the moment it is made. */
interface Trial {
  readonly tried: Attempt
  readonly began: number
  heard(sent: SentRequest): Promise<UpstreamCall>
  call: UpstreamCall | undefined
}

function trialOf(run: Run, { member, plan }: Next): Trial {
  const { admitted, failover, startedAt } = run
  const began = now(run)
  const { totalMs } = plan.destination.upstream.timeouts
  const trial: Trial = {
    tried: { member: member.name, ms: 0 },
    began,
    // An answer may be complete, and logged, at once.
    async heard(sent) {
      const bounds = {
        attemptMs: failover.attemptMs,
        totalMs: Math.max(1, totalMs - (began - startedAt)),
      }
      const call = await ask(admitted, plan, sent, bounds)
      trial.call = call
      trial.tried.status = call.status
      noteAttempts(run, trial)
      return call
    },
    call: undefined,
  }
  return trial
}

function failedBy(run: Run, next: Next, trial: Trial, error: unknown): Failed {
  const { tried, call } = trial
  const { member, plan } = next
  call?.cancel()
  const cause = causeOf(error, plan)
  if (cause || !call) rename(tried, cause ? causeName(cause) : 'failed')
  noteAttempts(run, trial)
  const verdict = cause ? judge(cause, run.failover) : NO_HOP
  settle(run, next, cause, verdict)
  // Locks pass quickly.
  const isAgain = verdict.againMs !== undefined && triesOf(run, member) < 2
  const again = isAgain ? { ...next, leave: { isProbe: false } } : undefined
  return { ...next, cause, verdict, error, call, again }
}

/** Replaces the status of the answer as the logged result of the attempt. */
function rename(tried: Attempt, result: string): void {
  delete tried.status
  if (/^\d+$/.test(result)) tried.status = Number(result)
  else tried.reason = result
}

function noteAttempts(run: Run, { tried, began }: Trial): void {
  const { attempts, admitted } = run
  tried.ms = Math.round(now(run) - began)
  if (attempts.at(-1) !== tried) attempts.push(tried)
  admitted.journal.note({ attempts })
}

const NO_HOP: Verdict = { hop: false, cell: 'none' }

/**
 * The member has begun to answer: the session is bound to it, and the outcome is counted at the end of the answer.
 */
function answered(run: Run, { member, leave }: Next, wasAsked: boolean): void {
  const { pools } = run.admitted
  const breaker = pools.breakerOf(member, run.admitted)
  if (!wasAsked) return breaker.giveBack(leave)
  breaker.answered(leave)
  pools.warm(member, run.admitted, modelAt(run, member))
  run.order.bind(member)
  countOutcome(breaker, run.admitted)
}

/** What waits for the end holds on to nothing of the request, which a long stream has let go of. */
function countOutcome(breaker: Breaker, { journal, ports }: Context): void {
  journal.onEnd((problem) => {
    if (!problem) return breaker.succeed(ports.now())
    if (isOfUpstream(problem)) breaker.fail({ isProbe: false }, ports.now(), { isDoubtful: true })
  })
}

/**
 * Whether a broken reply is the member's fault: a problem of the caller, or a reply too large for this proxy, is
 * not.
 */
const isOfUpstream = (problem: Problem): boolean =>
  isPassingOver(problem) || isLost(problem) || LATE.includes(problem.message)

/** Compared by message, because a problem read from a stream is another object. */
const LOST = [CONNECTION_LOST, NOT_JSON, ENDED_EARLY].map(({ message }) => message)
const isLost = ({ message }: Problem): boolean => LOST.includes(message) || isNoReply(message)
const LATE = [NO_FIRST_BYTE, WENT_SILENT].map(({ message }) => message)

/** The cause of a failed attempt; undefined for a failure that another member would repeat. */
function causeOf(error: unknown, { destination }: Plan): Cause | undefined {
  const isOurs = destination.upstream.key.kind !== 'caller'
  if (error instanceof RefusedError) {
    const { problem, isKey = false } = error.refused
    return { kind: 'status', status: error.call.status, problem, isOurs, isKey }
  }
  if (error instanceof CallError)
    return error.failure === 'over' ? undefined : { kind: error.failure }
  if (!(error instanceof ProblemError)) return undefined
  const { problem } = error
  if (error instanceof StillbornError && mayHop(problem))
    return { kind: 'stillborn', problem, isOurs }
  if (LATE.includes(problem.message)) return { kind: 'late' }
  return isLost(problem) ? { kind: 'lost' } : undefined
}

/** Tells the member of a failure. */
function settle(
  run: Run,
  { member, leave }: Next,
  cause: Cause | undefined,
  verdict: Verdict,
): void {
  const { admitted, failover, triedMembers } = run
  const waitMs = cause && saysHowLong(cause)
  countFailure(run, { member, leave }, cause, verdict)
  const isCooled = verdict.cell === 'limit' || (verdict.cell === 'failure' && waitMs !== undefined)
  if (isCooled) admitted.pools.cool(member, admitted, modelAt(run, member), waitMs)
  // A member that is only cooled may be asked again, once, by a request that waits.
  if (!isCooled || failover.waitMs === 0 || triesOf(run, member) > 1) triedMembers.push(member)
}

/** A request that fails alike at several members is counted at the first of them alone. */
function countFailure(
  run: Run,
  { member, leave }: Pick<Next, 'member' | 'leave'>,
  cause: Cause | undefined,
  { cell }: Verdict,
): void {
  const breaker = run.admitted.pools.breakerOf(member, run.admitted)
  if (!cause || cell === 'none' || cell === 'limit') return breaker.giveBack(leave)
  const kind = kindOfFailure(cause)
  if (kind && run.doubts.has(kind)) return breaker.giveBack(leave)
  if (kind) run.doubts.add(kind)
  const facts = {
    waitMs: saysHowLong(cause),
    hard: cell === 'hard',
    isDoubtful: kind !== undefined,
  }
  breaker.fail(leave, now(run), facts)
}

const triesOf = ({ attempts }: Run, { name }: Member): number =>
  attempts.filter(({ member }) => member === name).length

/** No further attempt is made after the caller has left, or when time or hops are used up. */
async function mayGoOn(run: Run, { verdict, again: same }: Failed): Promise<boolean> {
  const { admitted, failover, attempts } = run
  if (!verdict.hop || failover.hops === 0 || budgetLeft(run) <= 0) return false
  if (same === undefined && hopsOf(attempts) >= failover.hops) return false
  if (same) await pause(verdict.againMs ?? 0, admitted.signal)
  return !admitted.signal.aborted
}

/** Counts changes of member; a second attempt at the same member is no hop. */
const hopsOf = (attempts: readonly Attempt[]): number =>
  attempts.filter(({ member }, index) => index > 0 && attempts[index - 1]?.member !== member).length

/** The longest wait that a caller is told. The member itself is left alone for as long as it said. */
const LONGEST_SHOWN_MS = 60_000
const SHORTEST_SHOWN_MS = 1000

const shownWait = (run: Run): number =>
  Math.min(
    Math.max(soonestEnd(run, run.order.members(true)) - now(run), SHORTEST_SHOWN_MS),
    LONGEST_SHOWN_MS,
  )

/** Refuses the request without an attempt: all members are out, or none can serve it. */
function refuseAll(run: Run): never {
  const [first] = run.refusals
  if (first && run.refusals.length === run.order.members(true).length) throw first
  throw new ProblemError({ ...NONE_LEFT, retryAfterMs: shownWait(run) })
}

const NONE_LEFT: Problem = {
  kind: 'unavailable',
  message: 'No upstream of this model can be asked at the moment.',
  code: 'upstream_unavailable',
}

/** The last failure as the caller is told of it. */
function lastAnswer(run: Run, failed: Failed): Answer {
  const { error, plan, call } = failed
  const headers = attemptHeaders(run)
  try {
    if (run.admitted.signal.aborted) throw new ProblemError(CALLER_LEFT)
    // The proxy's own key is refused or unpaid.
    if (failed.verdict.cell === 'hard') throw new ProblemError(KEY_REFUSED)
    if (error instanceof RefusedError) {
      const refused = {
        ...error.refused,
        problem: lastProblem(run, failed, error.refused.problem),
      }
      return withAttempts(run, refusalAnswer(run.admitted, plan, error.call, refused))
    }
    throw error instanceof ProblemError
      ? new ProblemError(lastProblem(run, failed, error.problem))
      : error
  } catch (thrown) {
    if (!(thrown instanceof ProblemError)) throw thrown
    const replied = replyHeaders(plan, call, plan.losses)
    throw new ProblemError(thrown.problem, { ...replied, ...headers })
  }
}

/**
 * Tells clients not to repeat a request that several members have failed, or whose outcome is unknown (504); a rate
 * limit is told with its wait.
 */
function lastProblem(run: Run, { cause, verdict }: Failed, problem: Problem): Problem {
  if (problem.kind === 'rate-limit') return { ...problem, retryAfterMs: shownWait(run) }
  const isUnknown = cause?.kind === 'status' && cause.status === 504
  const isHop = run.attempts.length > 1 && cause !== undefined && cause.kind !== 'connect'
  return isUnknown || (isHop && verdict.hop) ? { ...problem, retry: false } : problem
}

function withAttempts(run: Run, answer: Answer): Answer {
  const headers = attemptHeaders(run)
  return headers ? { ...answer, headers: { ...answer.headers, ...headers } } : answer
}

function attemptHeaders({ attempts }: Run): Record<string, string> | undefined {
  if (attempts.length < 2) return undefined
  const shown = attempts
    .slice(0, ATTEMPTS_SHOWN)
    .map(({ member, status, reason }) => `${member}=${status ?? reason}`)
  return { 'x-dragoman-attempts': shown.join(', ') }
}
