import type { KnownFacts } from '../../src/models/facts.ts'
import type { Storing } from '../../src/rules/storing.ts'
import { knownOf, type Known, type ServerFacts, type Target } from '../contract.ts'

/** What every current model of the service takes, for one that nothing is known of. */
const CAREFUL: KnownFacts = {
  thinking: 'adaptive',
  efforts: ['low', 'medium', 'high'],
  sampling: 'without-thinking',
  forcedChoice: 'without-thinking',
  prefill: false,
}
/** Such a model is asked as the caller asks where another server of this dialect runs it. */
const CAREFUL_ELSEWHERE: KnownFacts = { efforts: ['low', 'medium', 'high'] }

/** What the writers go by: a model, as it is served. */
export type Model = Known & {
  /** The dialect's own service runs it; other platforms know a tool by its name alone. */
  readonly isHome: boolean
  /** Its thoughts are plain text, and proofs mean nothing to it. */
  readonly isOpen: boolean
  readonly stores: boolean
  /** What is said of it, where that beats what is known. */
  readonly said: Pick<KnownFacts, 'systemInPlace' | 'lateTools' | 'deferredTools'>
}

/** The facts about the model: as configured, or else as it is known. */
export const knownBy = (target: Target): Model => modelOf(target, CAREFUL)

function modelOf(target: Target, careful: KnownFacts): Model {
  const known = knownOf(target, careful)
  const { how, service } = known.seen
  return {
    ...known,
    // Other platforms are seen by the wrapping of a name, or by the address.
    isHome: how !== 'unknown' && service === undefined,
    isOpen: false,
    stores: target.facts.storesByDefault === true,
    said: target.facts,
  }
}

/** The same at the server that runs it: what the profile says of all models there is said of this one. */
export function knownAt(target: Target): Model {
  const { server, forcedChoice } = target.facts
  if (!server) return knownBy(target)
  // A server that knows betas runs the models of this dialect's own service.
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

/** Whether a server knows the member with the effort and the format of an answer. */
export const takesOutput = ({ drop = [], members }: ServerFacts): boolean =>
  !drop.includes('output_config') && members?.includes('output_config') !== false

/** The dialect has no word for it, and its service keeps nothing. */
export const storing = ({ facts: { server, storesByDefault } }: Target): Storing => ({
  isTold: false,
  stores: storesByDefault ?? server?.storesByDefault === true,
})

/** What the model takes, as configured or as it is known. */
export interface Takes {
  /** Instructions in the middle of a conversation. */
  readonly system: boolean
  /** A change of tools there: with the whole tool, or by its name. */
  readonly changes: 'whole' | 'named' | 'none'
  /** Tools that a search finds later. */
  readonly deferred: boolean
}

const FAST_BETA = 'fast-mode-2026-02-01'

/** The betas that the model's fast mode needs; undefined where it has none, as on other platforms. */
export function fastBetas({ isHome, fast }: Model): readonly string[] | undefined {
  if (!isHome || !fast) return undefined
  return fast === 'beta' ? [FAST_BETA] : []
}

/** Whether what the model says between calls has to be asked for, in words of a beta that no other one need know. */
export const saysUpdates = ({ seen, isHome, display, on }: Model): boolean =>
  seen.how === 'model' && isHome && display === 'updates' && on === true

/** The types of tools for a screen that need a beta. */
const SCREEN_BETAS: Readonly<Record<string, string>> = {
  computer_20251124: 'computer-use-2025-11-24',
  computer_20250124: 'computer-use-2025-01-24',
}
/** The one that most models take. */
const USUAL_SCREEN = 'computer_20251124'

/** The type of the model's tool for a screen, and its beta; none where it has no such tool. */
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
