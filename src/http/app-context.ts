import type { Dialects } from '../../adapters/index.ts'
import type { Authenticate } from '../upstream/credentials.ts'
import type { Memories } from '../memory/context.ts'
import type { Observer } from '../observe/observer.ts'
import type { Pools } from '../upstream/pools.ts'
import type { Answer } from '../exchange/exchange.ts'
import type { Tasks } from '../exchange/tasks.ts'
import type { HttpRequest, Ports } from '../ports.ts'
import type { Hub } from '../sockets/hub.ts'
import type { Settings } from '../config/settings.ts'
import type { CallerUse, OwnUse } from './admission/caller-use.ts'
import type { ClientOf } from './client.ts'
import type { Arrival } from './request-head.ts'
import type { VerifyToken } from './admission/jwt.ts'
import type { Guard } from './admission/guard.ts'
import type { Load } from './admission/load.ts'
import type { SoleCaller } from './admission/sole-caller.ts'

/** The ports of an app. */
export interface AppPorts extends Ports {
  /** Without it every request is one for a conversation. */
  readonly tasks?: Tasks
  /** Counts what callers use with other processes; without it this one counts for itself. */
  sharing?(own: OwnUse): CallerUse
  /** Answers the operator of a process; without it there is none. */
  readonly operator?: Operator
}

/** The paths of the operator. */
export interface Operator {
  /** Admits by a key of their own, where there is one. */
  admits(settings: Settings): Authenticate | undefined
  /** Undefined for any other path. Rejects with ProblemError. */
  answer(context: AppContext, arrival: Arrival): Promise<Answer> | undefined
}

/** What opens sockets, where the platform can. */
export interface SocketDoor {
  readonly hub: Hub
  /** Answers a request that came on a socket, by the settings of that time. */
  answer(request: HttpRequest): Promise<Answer>
}

/** What all exchanges of one app share. */
export interface AppContext {
  settings: Settings
  ports: Ports
  dialects: Dialects
  admit: Authenticate
  /** Absent where no caller is known by a token. */
  verifyToken?: VerifyToken | undefined
  operator?: Operator | undefined
  /** Admits the operator, where metrics have a key of their own. */
  admitOperator?: Authenticate | undefined
  observer?: Observer | undefined
  load: Load
  /** Absent where no caller has limits. */
  use?: CallerUse | undefined
  pools: Pools
  memories?: Memories | undefined
  /** Absent where no caller gets what is not noted for it. */
  soleCaller?: SoleCaller | undefined
  /** Absent where the log does not say who has sent a request. */
  clientOf?: ClientOf | undefined
  /** Absent where every request is one for a conversation. */
  tasks?: Tasks | undefined
  /** Absent where requests come from the program itself and not from a network. */
  guard?: Guard | undefined
  /** Absent where a request cannot become a socket. */
  sockets?: SocketDoor | undefined
}
