import type { Lose } from './loss.ts'
import type { Effort, ReasoningOptions, Request, Sampling } from './request.ts'

const GPT = /^(?:.*\/)?gpt-(\d+)(?:\.(\d+))?(?![\d.])/i
const O_SERIES = /^(?:.*\/)?o[1-9](?:-|$)/i
/** These answer at once, whatever their number. */
const CHAT = /-chat/i

/** The generation of a GPT, as its name tells, with two digits for the minor one: 5.06 is that of `gpt-5.6`. */
function generationOf(model: string): number | undefined {
  const [, major, minor = '0'] = GPT.exec(model) ?? []
  return major === undefined ? undefined : Number(major) + Number(minor) / 100
}

/** Whether the model is a GPT of this generation or a newer one, as its name tells. */
export const isGptSince = (model: string, generation: number): boolean =>
  (generationOf(model) ?? 0) >= generation

/** Whether it is one of OpenAI's models that reason, as its name tells: they take one temperature. */
export const reasons = (model: string): boolean =>
  O_SERIES.test(model) || (isGptSince(model, 5) && !CHAT.test(model))

/** Whether it is one of OpenAI's models that do not reason, and refuse every word about it. */
const answersAtOnce = (model: string): boolean => {
  const generation = generationOf(model)
  return generation !== undefined && generation < 5
}

const EFFORTS: readonly Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const [NONE, , LOW, MEDIUM, HIGH, XHIGH, MAX] = EFFORTS
const USUAL = [LOW, MEDIUM, HIGH]

/** The efforts that the model takes (page of each model); others are refused. */
function effortsOf(model: string): readonly (Effort | undefined)[] {
  if (!reasons(model)) return EFFORTS
  if (!isGptSince(model, 5.01))
    return /codex|pro/i.test(model) || O_SERIES.test(model) ? USUAL : ['minimal', ...USUAL]
  if (!isGptSince(model, 5.02)) return [NONE, ...USUAL]
  return [NONE, ...USUAL, XHIGH, ...(isGptSince(model, 5.06) ? [MAX] : [])]
}

/** The least effort that is not below the wanted one, or else the greatest. */
function nearestTo(wanted: Effort, model: string): Effort {
  const taken = EFFORTS.filter((effort) => effortsOf(model).includes(effort))
  const least = EFFORTS.indexOf(wanted)
  return taken.find((effort) => EFFORTS.indexOf(effort) >= least) ?? taken.at(-1) ?? wanted
}

function fittingReasoning(
  reasoning: ReasoningOptions,
  model: string,
  lose: Lose,
): ReasoningOptions | undefined {
  const isOff = reasoning.mode === 'off' || reasoning.effort === 'none'
  if (answersAtOnce(model))
    return isOff ? undefined : lose('dropped', 'reasoning', 'the model does not reason')
  const wanted = isOff ? 'none' : reasoning.effort
  const effort = wanted && nearestTo(wanted, model)
  if (effort === undefined || effort === wanted) return reasoning
  lose('approximated', isOff ? 'reasoning.mode' : 'reasoning.effort', `the model takes ${effort}`)
  const { budget: _, visible: __, ...rest } = reasoning
  return isOff ? { ...rest, mode: 'on', effort } : { ...reasoning, effort }
}

/** Models before the fifth generation take one verbosity. One that reasons has one temperature, unless it is told not to. */
function fittingSampling(
  asked: Sampling,
  { reasons: isFixed, model }: { reasons: boolean; model: string },
  lose: Lose,
): Sampling {
  const { verbosity, ...others } = asked
  const isSaid = verbosity !== undefined && isGptSince(model, 5)
  if (verbosity !== undefined && !isSaid) lose('dropped', 'sampling.verbosity')
  const sampling = isSaid ? asked : others
  if (!isFixed) return sampling
  const { temperature = 1, topP = 1, logprobs, ...rest } = sampling
  if (temperature !== 1) lose('dropped', 'sampling.temperature', 'the model reasons')
  if (topP !== 1) lose('dropped', 'sampling.topP', 'the model reasons')
  if (logprobs !== undefined) lose('dropped', 'sampling.logprobs', 'the model reasons')
  return rest
}

/** The request of a foreign caller with what a model of OpenAI takes, as far as its name tells that. */
export function fitting(request: Request, model: string, lose: Lose): Request {
  const { reasoning: asked, ...rest } = request
  const reasoning = asked && fittingReasoning(asked, model, lose)
  const isOff = reasoning?.mode === 'off' || reasoning?.effort === 'none'
  const about = { reasons: reasons(model) && !isOff, model }
  const sampling = fittingSampling(request.sampling, about, lose)
  return { ...rest, ...(reasoning && { reasoning }), sampling }
}
