import type { Settings } from '../config/settings.ts'
import type { Bytes } from '../json/bytes.ts'
import type { Problem } from '../model/problem.ts'
import type { HttpRequest, Ports } from '../ports.ts'
import type { Pools } from '../upstream/pools.ts'
import type { Answer } from './exchange.ts'
import type { Journal } from './journal.ts'

/** Takes requests that are no conversations and pass as they are. */
export interface Tasks {
  /** The service that a path belongs to, even if it has no such endpoint. */
  serviceAt(path: string): TaskService | undefined
  /** Whether some upstream lists the path. */
  isPassedOn(settings: Settings, path: string): boolean
  /**
   * Passes a request to the upstream of its model; undefined where that does not list the path. Throws ProblemError.
   */
  passOn(passed: PassedRequest): Promise<Answer | undefined>
}

/** An image or music service. */
export interface TaskService {
  /** Passes a request to the service and the answer back. Throws ProblemError. */
  answer(task: TaskRequest): Promise<Answer>
  /** A failure in the words of the service. `allow`: the method that the path takes, where it was another one. */
  failure(problem: Problem, path: string): { status: number; body: string; allow?: string }
}

/** One request of an admitted caller for a task service. */
export interface TaskRequest {
  settings: Settings
  ports: Ports
  request: HttpRequest
  /** The caller's credential, for services that are sent it. */
  credential: string | undefined
  /** Aborted when the caller leaves. */
  signal: AbortSignal
  journal: Journal
}

/** The same for an endpoint that passes as it is (`upstreams.*.passthrough`). */
export interface PassedRequest extends TaskRequest {
  pools: Pools
  path: string
  body: Bytes
  /** About how many tokens it holds. */
  tokens: number
  identity: string | undefined
  mayUse(model: string): boolean
}
