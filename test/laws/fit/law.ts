import type {
  Adapter,
  ModelFacts,
  Target,
  WriteRequestContext,
} from '../../../adapters/contract.ts'
import type { WrittenRequest } from '../../../adapters/contract.ts'
import { objectIn, parse, stringify, type JsonObject } from '../../../src/json/json.ts'
import { lossList, type Loss, type Lose } from '../../../src/model/loss.ts'
import type { Request } from '../../../src/model/request.ts'

/** A dialect's two halves: a writer that asks nothing of the server, and what fits a body to it. */
export interface Halves {
  readonly adapter: Adapter
  writeWhole(request: Request, context: WriteRequestContext): WrittenRequest
  fit(body: JsonObject, target: Target, lose: Lose): JsonObject
}

export interface Sent {
  readonly body: string
  readonly losses: readonly string[]
}

const sent = (body: JsonObject, losses: readonly Loss[]): Sent => ({
  body: sorted(JSON.parse(stringify(body))),
  losses: [...new Set(losses.map(({ code, path }) => `${code} ${path}`))].toSorted(),
})

/** The order of members means nothing. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

const targetOf = (model: string, facts: ModelFacts): Target => ({
  model,
  defaultMaxOutputTokens: 8192,
  facts,
})

/** As a writer leaves it, which knows what is said of the model and nothing of the server. */
export function whole({ writeWhole }: Halves, request: Request, target: Target): Sent {
  const { lose, losses } = lossList()
  return sent(writeWhole(request, { target, lose }).body, losses)
}

/** A request of a caller of another dialect, as it is sent. */
export function translated(
  { adapter }: Halves,
  request: Request,
  model: string,
  facts: ModelFacts,
) {
  const { lose, losses } = lossList()
  const target = targetOf(model, facts)
  return sent(adapter.upstream.writeRequest(request, { target, lose }).body, losses)
}

/** The same in a body that came in the upstream's dialect. `known`: what its caller goes by. */
export function passed(
  { adapter, writeWhole }: Halves,
  request: Request,
  model: string,
  facts: ModelFacts,
  known: ModelFacts = {},
): Sent {
  const { lose, losses } = lossList()
  const written = writeWhole(request, { target: targetOf(model, known), lose })
  const body = objectIn(parse(stringify(written.body), adapter.caller.verbatim))
  return sent(adapter.same.edit(body, { model, facts, foreign: true }, lose), losses)
}
