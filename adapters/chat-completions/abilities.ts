import type { Lose } from '../../src/model/loss.ts'
import type { Request } from '../../src/model/request.ts'
import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { fitRequest } from '../../src/models/fit-request.ts'
import { knownOf, type Known, type ServerFacts, type Target } from '../contract.ts'
import type { WriteRequestContext } from '../contract.ts'
import { isOrigin } from './dialect.ts'

/** What every current model of the service takes, for one that nothing is known of. */
const CAREFUL: KnownFacts = {
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
}

/** What a body is fitted to. */
export type FitTarget = Pick<Target, 'model' | 'facts' | 'service'>

/** The facts about the model: as configured, or else as the table of models has them. */
export const knownBy = (target: FitTarget): Known => knownOf(target, CAREFUL)

/** The facts about an unknown server, for a body that was written here: what all servers take. */
const CAREFUL_SERVER: ServerFacts = {
  reasoningField: 'both',
  reasoningReplay: 'with-tools',
  reasoningStyle: 'openai',
  maxTokensMember: 'max_tokens',
  allowedTools: false,
  customTools: false,
  developerRole: false,
  cacheMark: 'none',
  webSearch: false,
  topK: false,
  verbosity: false,
  safetyIdentifier: false,
  jsonWord: true,
  store: false,
}

/**
 * All facts about the server: as configured, or else as the model tells them, or else those that are safe. Safe ones
 * correct a caller of this dialect only where all differences of the server are known (`wellKnown`).
 */
export function carefulFacts(target: FitTarget): ServerFacts {
  const { outputWord, role, webSearch } = knownBy(target)
  return {
    ...CAREFUL_SERVER,
    ...(outputWord && { maxTokensMember: outputWord }),
    ...(role === 'developer' && AS_OPENAI),
    ...(webSearch && { webSearch }),
    ...target.facts.server,
  }
}

/** The facts about a server whose model knows the role `developer`, because such a model is OpenAI's. */
const AS_OPENAI: ServerFacts = {
  developerRole: true,
  customTools: true,
  allowedTools: true,
  verbosity: true,
}

/**
 * Unless facts say otherwise, a server keeps only what it is told to keep, as OpenAI's does here. The table of models
 * is not asked: it says what becomes of a model's requests in another dialect.
 */
export const storing = ({ facts: { server, storesByDefault } }: Target): Storing => ({
  isTold: server?.store === true,
  stores: storesByDefault ?? server?.storesByDefault === true,
})

/**
 * Fits a foreign caller's request to what the model takes. The thinking is left as it is asked for: `withThinking` fits
 * it, where the server's words for it are known.
 */
export function fitForeign(
  request: Request,
  { target, cache, lose }: Pick<WriteRequestContext, 'target' | 'cache' | 'lose'>,
): Request {
  if (isOrigin(request)) return request
  const { efforts: _, ...facts } = knownBy(target)
  const { reasoning: asked } = request
  const loseOthers: Lose = (code, path, detail) =>
    asked && path.startsWith('reasoning') ? undefined : lose(code, path, detail)
  const about = { facts, model: target.model, cached: cache?.mode === 'derive', lose: loseOthers }
  const fit = fitRequest(request, about)
  return asked ? { ...fit, reasoning: asked } : fit
}

/** Switches thinking off where the model takes functions only without it here: another endpoint takes both together. */
export function withoutThoughts(request: Request, target: Target, lose: Lose): Request {
  const { reasoning, tools } = request
  const { reasoningStyle = 'openai' } = target.facts.server ?? {}
  const isTold = reasoning?.mode === 'off' || reasoning?.effort === 'none'
  if (reasoningStyle !== 'openai' || tools.length === 0 || isTold) return request
  const { chatTools, on, thinkingOff } = knownBy(target)
  if (chatTools !== 'without-thinking' || thinkingOff === false) return request
  if (!reasoning && on !== true) return request
  if (reasoning)
    lose(
      'approximated',
      'reasoning.mode',
      `${target.model} takes functions here only without thinking`,
    )
  return { ...request, reasoning: { mode: 'off' } }
}
