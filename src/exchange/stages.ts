import type { Route, WrittenRequest } from '../../adapters/contract.ts'
import type { RouteSettings } from '../config/settings.ts'
import type { Json } from '../json/json.ts'
import type { ScannedBody } from '../json/scanned-body.ts'
import type { ResolvedRequest } from '../memory/resolve.ts'
import type { Lookup } from '../model/lookup.ts'
import type { Loss } from '../model/loss.ts'
import type { Request } from '../model/request.ts'
import type { RecalledRequest } from '../ports.ts'
import type { Destination } from '../upstream/route.ts'
import type { Session } from '../upstream/sessions.ts'
import type { AdmittedRequest } from './exchange.ts'
import type { Received } from './received.ts'
import type { TranslatePlan } from './request/plan.ts'

/*
 * A request for a reply, from stage to stage. Each holds the one before it, as far as that is still needed, and the last
 * one is the plan, which is all that the stages behind it know of the request.
 */

/** A request for a reply, as it came. Only the stages up to its plan know it. */
export interface AskedRequest extends AdmittedRequest {
  readonly route: Route
  readonly headers: Lookup & { keys?(): Iterable<string> }
  readonly received: Received
  readonly permit: Permit
  /** What is remembered of the request before it in its session; absent where nothing is. */
  readonly recall?: RecalledRequest | undefined
}

/** A request whose body has been scanned. */
export interface ScannedRequest {
  /** With another body than was received where that says a member twice. */
  readonly asked: AskedRequest
  readonly scanned: ScannedBody
}

/** A request, read only as far as its route requires. */
export interface RoutedRequest {
  readonly asked: AskedRequest
  readonly route: RouteSettings
  /** The model that the caller named. */
  readonly model: string | undefined
  /** The scanned body, where it had to be scanned. */
  readonly scanned: ScannedBody | undefined
  /** The session of the request and its part, once it has been looked up; false where the request has no session. */
  part?: SessionPart | false
  /** Whether it may refer to a kept reply, once a look through the whole body has told. */
  refers?: boolean
}

/** The session of a request, and the conversation within it. */
export interface SessionPart {
  readonly session: Session
  readonly own: string
  readonly isMain: boolean
}

/** A request for which an upstream has been chosen. */
export interface ChosenRequest {
  readonly asked: AskedRequest
  /** The scanned body, where it had to be scanned. */
  readonly scanned: ScannedBody | undefined
  readonly destination: Destination
  /** The name of the model as the caller sent it. */
  readonly requested: string
  /** Whether another member may be asked if this one fails. */
  readonly isRepeatable: boolean
}

/** A request that has been read for its upstream. */
export interface ReadRequest extends ReadBody {
  readonly chosen: ChosenRequest
  /** As the caller gave it. */
  readonly given: Request
  readonly keeping: ResolvedRequest['keeping']
}

/** Of such a request what is written, and the body that it was read from. */
export interface ReadBody {
  readonly body: Json
  readonly resolved: boolean
  readonly nameless?: ResolvedRequest['nameless']
  readonly issuers?: ResolvedRequest['issuers']
  readonly request: Request
}

/** What is said to an upstream of another dialect, or for a server that has to be helped. */
export interface Written {
  readonly losses: readonly Loss[]
  /** Absent where the upstream has no counter to ask for tokens. */
  readonly written: WrittenRequest | undefined
  /** What a plan has otherwise where its reply is a summary, or begins with one. */
  readonly summary: SummaryPart | undefined
}

export type SummaryPart = Required<Pick<TranslatePlan, 'destination' | 'summary'>>

/** What the caller's key allows. */
export interface Permit {
  /** Not every model may be used. */
  readonly isLimited: boolean
  mayUse(model: string): boolean
  /** Whether limits or metrics go by the tokens, so that an upstream has to tell them. */
  readonly counts: boolean
  /** Called before a reply is asked for; throws ProblemError, or rejects with one, where a limit is reached. */
  reserve(asked: AskedReply): void | Promise<void>
}

/** What a request may take, as far as is known before its reply. */
export interface Reservation {
  /** Of the input. */
  readonly tokens: number
  /** US dollars, with the output; computed only where a limit asks. */
  usd(): number
}

/** A request for a reply that has found its route. */
export interface AskedReply extends Reservation {
  readonly model: string
  readonly route: string
  readonly bytes: number
}
