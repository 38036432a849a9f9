import type { ScannedBody } from '../json/scanned-body.ts'
import type { Found, Keeping } from '../memory/resolve.ts'
import type { Loss } from '../model/loss.ts'
import type { Request } from '../model/request.ts'
import type { AddressedRequest } from '../upstream/request.ts'
import type { Destination } from '../upstream/route.ts'

/** What will be done with a request: everything that is known before anything is sent. */
export type Plan = PassPlan | TranslatePlan

interface CommonPlan {
  destination: Destination
  /** The model's name as the caller sent it. */
  requested: string
  /** What the caller wants; the upstream is asked for the same. */
  stream: boolean
  losses: readonly Loss[]
}
/** Both sides speak the same dialect: the bytes pass. */
export interface PassPlan extends CommonPlan {
  kind: 'pass'
  /** The body as it came, where it was looked into. */
  scanned?: ScannedBody
  /** What it refers to, as far as that is kept here too. */
  found?: Found | undefined
  sent: AddressedRequest
}
export interface TranslatePlan extends CommonPlan {
  kind: 'translate'
  request: Request
  keeping?: Keeping
  /** Absent when the upstream has nothing that could be asked (it cannot count tokens). */
  sent?: AddressedRequest
}
