import { heardSummary, type SummaryHeard } from '../../compaction/heard.ts'
import type { Again } from '../../compaction/prompt.ts'
import { shorterBy } from '../../compaction/shorter.ts'
import { summaryTurn } from '../../compaction/turn.ts'
import type { Event } from '../../model/events.ts'
import type { Lose } from '../../model/loss.ts'
import { ProblemError, type Problem } from '../../model/problem.ts'
import type { Request, Usage } from '../../model/request.ts'
import { addUsage } from '../../observe/entry.ts'
import { CALLER_LEFT } from '../../problems/failures.ts'
import type { UpstreamCall } from '../../upstream/call.ts'
import type { SentRequest } from '../../upstream/request.ts'
import { isSuccess, placeRefusal, readRefusal, RefusedError } from '../answers/refusal.ts'
import type { Context } from '../exchange.ts'
import type { SummaryPlan, TranslatePlan } from '../request/plan.ts'
import { stepsOf } from './steps.ts'

export type AskUpstream = (sent: SentRequest) => Promise<UpstreamCall>

/** A summary costs so many requests at most: the first, and others where that was too long or brought none. */
const MOST_TRIES = 3

/** The requests for one summary, until one of them brings it. */
export class SummaryTurns {
  /** The call that answers now. */
  call: UpstreamCall | undefined
  #isLeft = false
  readonly #context: Context
  readonly #plan: TranslatePlan
  readonly #summary: SummaryPlan
  readonly #ask: AskUpstream
  readonly #lose: Lose
  #tries = 0
  /** How often the conversation was too long, and what was said of its length. */
  #tooLong = 0
  #tokens: Problem['tokens']
  #again: Again | undefined
  #usage: Usage = {}
  /** Words that came beside a call, or were cut off: better than none. */
  #poor: SummaryHeard | undefined

  constructor(context: Context, plan: TranslatePlan, summary: SummaryPlan, ask: AskUpstream) {
    this.#context = context
    this.#plan = plan
    this.#summary = summary
    this.#ask = ask
    this.#lose = (code, path, detail) => summary.channel.lose?.(code, path, detail)
  }

  /** Asks until an upstream begins to answer. Throws its refusal, unless a shorter conversation may do. */
  async begin(first: SentRequest): Promise<UpstreamCall> {
    for (let sent = first; ; sent = this.#next()) {
      this.demandCaller()
      const call = await this.#ask(sent)
      this.call = call
      this.#tries += 1
      if (isSuccess(call.status)) return call
      const refused = await readRefusal(this.#context, this.#plan, call)
      if (this.#mayShorten(refused.problem)) continue
      this.#context.journal.spared()
      const placed = await placeRefusal(this.#context, this.#plan, refused)
      if (this.#plan.isRepeatable) throw new RefusedError(placed, this.#plan, call)
      throw new ProblemError(placed.problem)
    }
  }

  /** Reads what the call answers, and asks again where it is no summary. Throws ProblemError. */
  async heard(): Promise<SummaryHeard> {
    for (;;) {
      const heard = heardSummary(await this.#events())
      this.demandCaller()
      this.#usage = addUsage(this.#usage, heard.usage)
      const { again, problem, words } = heard
      if (again && words !== '') this.#poor ??= heard
      const isLast = this.#tries >= MOST_TRIES || (this.#again !== undefined && words !== '')
      if (again && !isLast) this.#again = again
      else if (!problem) return this.#accepted(heard)
      else if (!this.#mayShorten(problem)) return this.#accepted(this.#poor ?? failed(problem))
      await this.#askAgain()
    }
  }

  /** The caller has left: nothing more is asked for. */
  leave(): void {
    this.#isLeft = true
    this.call?.cancel()
  }

  demandCaller(): void {
    if (this.#isLeft || this.#context.signal.aborted) throw new ProblemError(CALLER_LEFT)
  }

  #accepted(heard: SummaryHeard): SummaryHeard {
    if (this.#tooLong > 0)
      this.#lose('dropped', 'compaction.turns', 'the conversation was too long')
    if (heard.again === 'cut') this.#lose('approximated', 'compaction.length', 'cut at its bound')
    return { ...heard, usage: this.#usage }
  }

  /** The answer has begun, so that what is refused now is told as a problem. */
  async #askAgain(): Promise<void> {
    await this.begin(this.#next()).catch((error: unknown) => {
      throw error instanceof RefusedError ? new ProblemError(error.refused.problem) : error
    })
  }

  #mayShorten({ kind, tokens }: Problem): boolean {
    if (kind !== 'context-overflow' || this.#tries >= MOST_TRIES) return false
    this.#context.journal.spared()
    this.#tooLong += 1
    this.#tokens = tokens
    return true
  }

  #next(): SentRequest {
    const { of, asking, write } = this.#summary
    const shortened: Request =
      this.#tooLong === 0 ? of : shorterBy(of, this.#tooLong > 1 ? 2 : 1, this.#tokens)
    return write(summaryTurn(shortened, { ...asking, again: this.#again }))
  }

  async #events(): Promise<Event[]> {
    const events: Event[] = []
    if (this.call)
      for await (const step of stepsOf(this.#context, this.#plan, this.#summary, this.call))
        events.push(...step)
    return events
  }
}

function failed(problem: Problem): never {
  throw new ProblemError(problem)
}
