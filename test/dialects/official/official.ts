import type { Json } from '../../../src/json/json.ts'
import type { Driver } from '../../sdk/driver.ts'
import type { Provider } from '../../sdk/driver-ai.ts'
import type { OddReply } from '../../sdk/odd-reply.ts'
import type { OddRequest } from '../../sdk/odd-request.ts'
import type { Stage } from '../../sdk/stage.ts'

/** What a kit has for Node alone: the official clients of a dialect, and its schemas in the words of a library. */
export interface Official {
  /** The library of the dialect's own service, and the provider of the AI SDK. */
  driver: Driver
  provider: Provider
  /** Says `Hello` and gives out the text of the answer; throws as the library does. */
  ask(staged: Stage, maxRetries?: number): Promise<string | undefined>
  /** Whether the library can be made to repeat a request after a rate limit. */
  repeats: boolean
  /** Everything that a stream is iterated over, as the library gives it out. */
  iterate(staged: Stage): Promise<unknown[]>
  /** Requests and replies that were seen, and that are easily misunderstood. */
  oddRequests: readonly OddRequest[]
  oddReplies: readonly Omit<OddReply, 'upstream'>[]
  wire: Wire
}

/** Says what is asked of a request, or of one whose tokens are to be counted; throws for what is refused. */
export type Check = (body: Json, counting: boolean) => unknown

/** The same told twice: by the shapes of the product, and by the schemas of a library. */
export interface Wire {
  shapes: Check
  schemas: Check
  /** As a body comes to be checked, where something is done to it before. */
  prepare(body: Json): Json
  /** Legal requests with what no fixture has. */
  rare: Json[]
}

export async function gathered(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for await (const event of stream) seen.push(event)
  return seen
}
