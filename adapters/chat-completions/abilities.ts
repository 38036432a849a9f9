import type { Lose } from '../../src/model/loss.ts'
import type { Request } from '../../src/model/request.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { fitting } from '../../src/models/fitting.ts'
import { knownOf, type Known, type ServerFacts, type Target } from '../contract.ts'
import type { WriteRequestContext } from '../contract.ts'
import { isOrigin } from './dialect.ts'

/** What every current model of the service takes, for one that nothing is known of. */
const CAREFUL: KnownFacts = {
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
}

/** The facts about the model: as configured, or else as it is known. */
export const knownBy = (target: Target): Known => knownOf(target, CAREFUL)

/**
 * The facts about the server: as configured, or else as the model tells. A caller of this dialect is not corrected by
 * what is known; the service judges its request.
 */
export function serverFacts(target: Target, isOwn: boolean): ServerFacts {
  const { server = {} } = target.facts
  if (isOwn) return server
  const { outputWord, stops, role, webSearch, chatSchema } = knownBy(target)
  return {
    ...(outputWord && { maxTokensMember: outputWord }),
    ...(stops === false && { stop: false }),
    ...(role === 'developer' && { developerRole: true, customTools: true, allowedTools: true }),
    ...(webSearch && { webSearch }),
    ...(chatSchema === false && { jsonSchema: false }),
    ...server,
  }
}

/** The first service keeps what it is told to keep, and has the same word for both; what is known of a model is true of another dialect. */
export const storing = ({ facts: { server, storesByDefault } }: Target): Storing => ({
  isTold: server?.store === true,
  stores: storesByDefault ?? server?.storesByDefault === true,
})

/** The servers that are told an effort as a word. */
const BY_WORD = new Set<ServerFacts['reasoningStyle']>(['openai', 'thinking', 'openrouter'])

/** The request of a foreign caller with what the model takes. */
export function fitted(
  request: Request,
  { target, cache, lose }: WriteRequestContext,
  server: ServerFacts,
): Request {
  if (isOrigin(request)) return request
  const { model } = target
  const style = server.reasoningStyle ?? 'openai'
  const { efforts, ...known } = knownBy(target)
  const facts = BY_WORD.has(style) && efforts ? { ...known, efforts } : known
  const asked = style === 'openai' ? withoutThoughts(request, facts, model, lose) : request
  return fitting(asked, { facts, model, cached: cache?.mode === 'derive', lose })
}

/** Some models take functions here only where they do not think; the service has another endpoint for both. */
function withoutThoughts(
  request: Request,
  { chatTools, on, thinkingOff }: KnownFacts,
  model: string,
  lose: Lose,
): Request {
  const { reasoning, tools } = request
  const isTold = reasoning?.mode === 'off' || reasoning?.effort === 'none'
  if (chatTools !== 'without-thinking' || thinkingOff === false || tools.length === 0 || isTold)
    return request
  if (!reasoning && on !== true) return request
  if (reasoning)
    lose('approximated', 'reasoning.mode', `${model} takes functions here only without thinking`)
  return { ...request, reasoning: { mode: 'off' } }
}
