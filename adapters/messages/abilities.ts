import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { knownOf, type Known, type ServerFacts, type Target } from '../contract.ts'

/** What every current model of the service takes. It stands for a model that nothing is known of. */
const CAREFUL: KnownFacts = {
  thinking: 'adaptive',
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
  forcedChoice: 'without-thinking',
  prefill: false,
}
/** The same for a model that another server of this dialect runs: only the efforts are bounded. */
const CAREFUL_ELSEWHERE: KnownFacts = { efforts: ['low', 'medium', 'high'] }

/** What the writers know of a model at the place that serves it. */
export type Model = Known & {
  /** The dialect's own service runs the model. Other platforms take a change of tools only by the tool's name. */
  readonly isHome: boolean
  /** The model's thoughts are plain text, and it has no proofs. */
  readonly isOpen: boolean
  readonly stores: boolean
  /** The facts that the configuration or the profile gives, which beat what is known of the model. */
  readonly said: Pick<KnownFacts, 'systemInPlace' | 'lateTools' | 'deferredTools'>
}

/** The facts about the model: from the configuration, or else from its name. */
export const knownBy = (target: Target): Model => modelOf(target, CAREFUL)

function modelOf(target: Target, careful: KnownFacts): Model {
  const known = knownOf(target, careful)
  const { how, service } = known.seen
  return {
    ...known,
    // `service` names another platform, recognised by the form of the model's name or by the address.
    isHome: how !== 'unknown' && service === undefined,
    isOpen: false,
    stores: target.facts.storesByDefault === true,
    said: target.facts,
  }
}

/** The facts about the model at its server: what the profile says of all models there holds for this one. */
export function knownAt(target: Target): Model {
  const { server, forcedChoice } = target.facts
  if (!server) return knownBy(target)
  // Only the profiles of clouds list betas, and clouds run the models of this dialect's own service.
  const model = modelOf(target, server.betas ? CAREFUL : CAREFUL_ELSEWHERE)
  const { isHome, said, forcedChoice: forced = true } = model
  const isBare = server.hostedTools === false
  const isFree = server.forcedWhileThinking !== false || forcedChoice !== undefined
  return {
    ...model,
    ...(!isFree && forced === true && { forcedChoice: 'without-thinking' }),
    fast: false,
    ...(!(takesOutput(server) && server.jsonSchema !== false) && { structured: false }),
    isHome: isHome && !isBare,
    isOpen: server.unprovenThoughts === true,
    stores: storing(target).stores,
    said: {
      ...said,
      ...(server.systemFirst && { systemInPlace: said.systemInPlace ?? false }),
      ...(isBare && { deferredTools: said.deferredTools ?? false }),
    },
  }
}

/** Whether a server knows `output_config`, the member with the effort and the format of an answer. */
export const takesOutput = ({ drop = [], members }: ServerFacts): boolean =>
  !drop.includes('output_config') && members?.includes('output_config') !== false

/** No member of a request says whether to keep it, and the dialect's own service keeps nothing. */
export const storing = ({ facts: { server, storesByDefault } }: Target): Storing => ({
  isTold: false,
  stores: storesByDefault ?? server?.storesByDefault === true,
})

/** What the model takes in the middle of a conversation. */
export interface Takes {
  /** Instructions. */
  readonly system: boolean
  /** A change of tools: with the whole tool, or only by the tool's name. */
  readonly changes: 'whole' | 'named' | 'none'
  /** Tools that a search finds later. */
  readonly deferred: boolean
}

export const FAST_BETA = 'fast-mode-2026-02-01'

/** The betas that the model's fast mode needs; undefined where it has no fast mode, as on other platforms. */
export function fastBetas({ isHome, fast }: Model): readonly string[] | undefined {
  if (!isHome || !fast) return undefined
  return fast === 'beta' ? [FAST_BETA] : []
}

export const UPDATES_BETA = 'thinking-display-updates-2026-08-18'

/**
 * Whether the model tells what it says between calls only when asked (`display: 'updates'`). Asking needs a beta, so
 * only a known model at the dialect's own service is asked.
 */
export const saysUpdates = ({ seen, isHome, display, on }: Model): boolean =>
  seen.how === 'model' && isHome && display === 'updates' && on === true

/** The betas of the tools for a screen, by type. */
export const SCREEN_BETAS: Readonly<Record<string, string>> = {
  computer_20251124: 'computer-use-2025-11-24',
  computer_20250124: 'computer-use-2025-01-24',
}
/** The type that most models take. */
const USUAL_SCREEN = 'computer_20251124'

/** The type of the model's tool for a screen, and its beta; empty where the model has no such tool. */
export function screenTypes({
  screen,
  isHome,
  computer = screen !== undefined && isHome,
}: Model): readonly string[] {
  if (!computer) return []
  const type = screen ?? USUAL_SCREEN
  return [type, ...(SCREEN_BETAS[type] ? [SCREEN_BETAS[type]] : [])]
}

/** The service judges itself what a caller of its own dialect sends. */
const EVERYTHING: Takes = { system: true, changes: 'whole', deferred: true }

export function takenBy(model: Model, own: boolean): Takes {
  if (own) return EVERYTHING
  const { said, isHome } = model
  const system = said.systemInPlace ?? model.systemInPlace === true
  const deferred = said.deferredTools ?? model.deferredTools === true
  const whole = said.lateTools ?? isHome
  const named = said.lateTools !== false && deferred
  return {
    system,
    deferred,
    changes: !system ? 'none' : whole ? 'whole' : named ? 'named' : 'none',
  }
}
