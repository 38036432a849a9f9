import type { Adapter, Route, SameEdits } from '../../../adapters/contract.ts'
import type { Asking } from '../../compaction/turn.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import type { Found, Keeping } from '../../memory/resolve.ts'
import type { Event } from '../../model/events.ts'
import type { Lose, Loss } from '../../model/loss.ts'
import type { PlaceSearch } from '../../ports.ts'
import { emptyRequest } from '../../rules/empty-request.ts'
import type { Request } from '../../model/request.ts'
import type { SentRequest } from '../../upstream/request.ts'
import type { Destination } from '../../upstream/route.ts'
import type { Received } from '../received.ts'

/** All decisions about a request that are made before anything is sent. */
export type Plan = PassPlan | TranslatePlan

interface CommonPlan {
  readonly destination: Destination
  /** What is asked for, and in which framing. */
  readonly route: Route
  /** The name of the model as the caller sent it. */
  readonly requested: string
  /** Whether the caller wants a stream; the upstream is asked for the same. */
  readonly stream: boolean
  /** Whether another member may be asked if this attempt fails. */
  readonly isRepeatable: boolean
  /** What was received, until it is released. */
  readonly received: Received
  losses: readonly Loss[]
  /** For places that the upstream names; absent where there is no body of the caller. */
  readonly places?: ((destination: Destination) => PlaceSearch) | undefined
}
/** Both sides speak the same dialect: the bytes pass. */
export interface PassPlan extends CommonPlan {
  readonly kind: 'pass'
  /** The edits of the body, where it was edited. */
  readonly edits?: SameEdits | undefined
  /** The upstream is asked to count the tokens of its stream, which the caller did not do. */
  readonly counted?: boolean
  /** The scanned body, where it had to be scanned. */
  scanned?: ScannedBody | undefined
  /** The records that it refers to, as far as they are kept here. */
  found?: Found | undefined
  readonly sent: SentRequest
  /** Reads the request after all, for a reply that has to be written anew. Throws ProblemError. */
  read(): Request
}
export interface TranslatePlan extends CommonPlan {
  readonly kind: 'translate'
  /** Replaced by what the reply repeats of it, which is let go with the beginning of the reply. */
  request: Request
  /** Whether the session goes on with what becomes of the request. */
  readonly isRemembered: boolean
  readonly keeping?: Keeping
  /** Absent where the upstream has no counter to ask for tokens. */
  readonly sent?: SentRequest | undefined
  /** That of `WrittenRequest`. */
  readonly lastProof?: string | undefined
  /** Set where the reply is a summary that is written here, or begins with one. */
  readonly summary?: SummaryPlan
}

/** A summary that is to be written here. */
export interface Summing {
  /** The conversation, without the turn that asks for its summary. */
  readonly of: Request
  readonly asking: Asking
  /** Only where the conversation is longer than so many tokens, and before the turn goes on. */
  readonly above?: number
}

/** How the summary of a conversation is come by. */
export interface SummaryPlan extends Summing {
  /** The dialect of the upstream; that of the plan tells what is in `channel`. */
  readonly adapter: Adapter
  /** A further request of this exchange. */
  write(request: Request): SentRequest
  /** The upstream's own counter of tokens, where it has one. */
  readonly counter?: SentRequest | undefined
  readonly channel: SummaryChannel
}

/** Events of a reply that was put together here, and where its losses go. */
export interface SummaryChannel {
  readonly events: Event[]
  lose?: Lose
}

/** The request of which only the model and the form are known: its bytes have passed. */
export const unreadRequest = ({ requested, stream }: PassPlan): Request =>
  emptyRequest(requested, stream)
