import type { Adapter, SameEdits } from '../../../adapters/contract.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import type { Found, Keeping } from '../../memory/resolve.ts'
import type { Event } from '../../model/events.ts'
import type { Lose, Loss } from '../../model/loss.ts'
import type { PlaceSearch } from '../../ports.ts'
import { emptyRequest } from '../../rules/empty-request.ts'
import type { Request } from '../../model/request.ts'
import type { SentRequest } from '../../upstream/request.ts'
import type { Destination } from '../../upstream/route.ts'
import type { Summing } from '../compaction/asked.ts'

/** All decisions about a request that are made before anything is sent. */
export type Plan = PassPlan | TranslatePlan

interface CommonPlan {
  destination: Destination
  /** The name of the model as the caller sent it. */
  requested: string
  /** Whether the caller wants a stream; the upstream is asked for the same. */
  stream: boolean
  losses: readonly Loss[]
  /** For places that the upstream names; absent where there is no body of the caller. */
  places?: ((destination: Destination) => PlaceSearch) | undefined
}
/** Both sides speak the same dialect: the bytes pass. */
export interface PassPlan extends CommonPlan {
  kind: 'pass'
  /** The edits of the body, where it was edited. */
  edits?: SameEdits
  /** The upstream is asked to count the tokens of its stream, which the caller did not do. */
  counted?: true
  /** The scanned body, where it had to be scanned. */
  scanned?: ScannedBody | undefined
  /** The records that it refers to, as far as they are kept here. */
  found?: Found | undefined
  sent: SentRequest
  /** Reads the request after all, for a reply that has to be written anew. Throws ProblemError. */
  read(): Request
}
export interface TranslatePlan extends CommonPlan {
  kind: 'translate'
  request: Request
  keeping?: Keeping
  /** Absent where the upstream has no counter to ask for tokens. */
  sent?: SentRequest
  /** That of `WrittenRequest`. */
  lastProof?: string | undefined
  /** Set where the reply is a summary that is written here, or begins with one. */
  summary?: SummaryPlan
}

/** How the summary of a conversation is come by. */
export interface SummaryPlan extends Summing {
  /** The dialect of the upstream; that of the plan tells what is in `channel`. */
  adapter: Adapter
  /** A further request of this exchange. */
  write(request: Request): SentRequest
  /** The upstream's own counter of tokens, where it has one. */
  counter?: SentRequest | undefined
  channel: SummaryChannel
}

/** Events of a reply that was put together here, and where its losses go. */
export interface SummaryChannel {
  readonly events: Event[]
  lose?: Lose
}

/** The request of which only the model and the form are known: its bytes have passed. */
export const unreadRequest = ({ requested, stream }: PassPlan): Request =>
  emptyRequest(requested, stream)
