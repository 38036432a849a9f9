import { lossesIn, type LoseOf } from '../model/loss.ts'
import type { Block, Limits, Request, Sampling, Tool, Turn } from '../model/request.ts'
import { toolName } from '../rules/names.ts'
import type { KnownFacts } from './facts.ts'
import { fitReasoning, type Fit } from './thinking.ts'

export interface Wishes extends Fit {
  /** The prompt is to be cached, so that what stands at its beginning must not change. */
  readonly cached: boolean
}

/**
 * The request of a foreign caller, with the nearest that the model takes in the place of what it refuses, and a loss
 * for each. A caller of the service's own dialect hears of it from the service.
 */
export function fitRequest(request: Request, about: Wishes): Request {
  const forced = fitChoice(spokenByUser(request, about), about)
  const { reasoning: asked, ...rest } = forced
  const reasoning = fitReasoning(asked, about)
  const thinks = thinking({ reasoning }, about.facts)
  const isOff = reasoning?.mode === 'off' || reasoning?.effort === 'none'
  return {
    ...rest,
    ...(reasoning && { reasoning }),
    tools: fitTools(forced.tools, about),
    turns: fitTurns(forced.turns, about),
    sampling: fitSampling(forced.sampling, { ...about, thinks, isOff }),
    limits: fitLimits(forced.limits, about),
  }
}

/** Some models know no instructions but what the user says first. */
function spokenByUser(request: Request, { facts, model, lose }: Wishes): Request {
  const { system, turns } = request
  if (facts.role !== 'user' || system.length === 0) return request
  lose('approximated', 'system', `${model} takes instructions from the user`)
  return { ...request, system: [], turns: [{ role: 'user', blocks: system }, ...turns] }
}

/** Whether the model will think: as the request says, else as the model does by default. */
const thinking = (
  { reasoning }: { reasoning?: Request['reasoning'] | undefined },
  { on, thinking: style }: KnownFacts,
) =>
  reasoning
    ? reasoning.mode !== 'off' && reasoning.effort !== 'none'
    : on === true && style !== 'none'

/**
 * A choice that forces a tool. A model that cannot be forced while it thinks is told not to think, unless its caller
 * asked for thoughts. Where none can be forced, one that is named stays on offer alone; tools are the beginning of the
 * prompt, so that is done only where nothing of it is cached.
 */
function fitChoice(request: Request, about: Wishes): Request {
  const { toolChoice: choice, tools, reasoning } = request
  const { forcedChoice: taken = true, on, thinkingOff } = about.facts
  if (choice?.mode !== 'required' || tools.length === 0 || taken === true) return request
  if (taken === 'without-thinking') {
    if (!thinking(request, about.facts)) return request
    if (reasoning === undefined && on === true && thinkingOff !== false)
      return { ...request, reasoning: { mode: 'off' } }
  }
  const [only, ...others] = choice.names ?? tools.map(toolName)
  if (taken === 'named' && only !== undefined && others.length === 0)
    return { ...request, toolChoice: { ...choice, names: [only] } }
  const why = `${about.model} cannot be made to call a tool`
  about.lose('approximated', 'toolChoice', taken === false ? why : `${why} in this way`)
  const { names, ...auto } = { ...choice, mode: 'auto' as const }
  const left = onlyNamed(request, names, about.cached)
  return {
    ...request,
    toolChoice: left === tools && names ? { ...auto, names } : auto,
    tools: left,
  }
}

/** The tools of which one must be called, where the others can be left out. */
function onlyNamed(
  { tools, turns, system, caching }: Request,
  names: readonly string[] | undefined,
  isCached: boolean,
): Tool[] {
  const named = tools.filter((tool) => names?.includes(toolName(tool)))
  const isMarked =
    isCached ||
    caching !== undefined ||
    [...tools, ...system, ...turns.flatMap(({ blocks }) => blocks)].some((one) => 'cache' in one)
  const isPlain = tools.every((tool) => tool.kind === 'function' || tool.kind === 'text')
  return names?.length === 1 && named.length === 1 && isPlain && !isMarked ? named : tools
}

function fitTools(tools: Tool[], { facts, model, lose }: Wishes): Tool[] {
  if (facts.strict !== false || !tools.some((tool) => 'strict' in tool)) return tools
  const at = lossesIn(lose)
  return tools.map((tool) => {
    if (tool.kind !== 'function' || tool.strict !== true) return tool
    const { strict: _, ...rest } = tool
    at('tools', tool.name)('dropped', '.strict', `${model} is not held to a schema there`)
    return rest
  })
}

function fitTurns(turns: Turn[], about: Wishes): Turn[] {
  const withEfforts = turns.some(({ effort }) => effort !== undefined)
    ? turns.map((turn) => withFitEffort(turn, about))
    : turns
  if (about.facts.image !== false) return withEfforts
  const turnAt = lossesIn(about.lose)
  return withEfforts.map((turn, number) => {
    const at = lossesIn(turnAt('turns', number))
    const blocks = turn.blocks.map((block, index) => seen(block, at('.blocks', index), about))
    return blocks.some((block, index) => block !== turn.blocks[index]) ? { ...turn, blocks } : turn
  })
}

/** Other efforts may be asked for in a conversation. */
function withFitEffort(turn: Turn, about: Wishes): Turn {
  if (turn.effort === undefined) return turn
  const { effort: asked, ...rest } = turn
  const effort = fitReasoning({ mode: 'on', effort: asked }, about)?.effort
  return effort === asked ? turn : { ...rest, ...(effort !== undefined && { effort }) }
}

/** A picture for a model that sees none becomes words. */
function seen(block: Block, lose: LoseOf, about: Wishes): Block {
  if (block.kind === 'tool-result') {
    const at = lossesIn(lose)
    const content = block.content.map((each, index) => seen(each, at('.content', index), about))
    return content.some((each, index) => each !== block.content[index])
      ? { ...block, content }
      : block
  }
  if (block.kind !== 'media' || !block.mediaType.startsWith('image/')) return block
  lose('dropped', '', `${about.model} takes no pictures`)
  const text = `[picture left out: ${about.model} takes none]`
  return { kind: 'text', text, ...(block.cache && { cache: block.cache }) }
}

interface Thinks extends Wishes {
  readonly thinks: boolean
  readonly isOff: boolean
}

function fitSampling(asked: Sampling, about: Thinks): Sampling {
  const { facts, model, lose } = about
  const left: Sampling = { ...asked }
  const leave = (key: keyof Sampling, why: string) => {
    if (left[key] === undefined) return
    delete left[key]
    lose('dropped', `sampling.${key}`, why)
  }
  const rule = facts.sampling ?? 'always'
  const isRefused = rule === 'never' || (rule === 'without-thinking' && about.thinks)
  const isIgnored = rule === 'ignored' || (rule === 'ignored-while-thinking' && about.thinks)
  if (isRefused || isIgnored) {
    dropDefaults(left)
    const why = isIgnored ? `${model} does not heed it` : `${model} takes one`
    for (const key of ['temperature', 'topP', 'topK'] as const) leave(key, why)
    if (isRefused) leave('logprobs', `${model} thinks`)
  }
  fixTemperature(left, about, leave)
  if (facts.verbosity === false) leave('verbosity', `${model} has one`)
  if (facts.penalties === false)
    for (const key of ['presencePenalty', 'frequencyPenalty'] as const)
      if (left[key] === 0) delete left[key]
      else leave(key, `${model} takes none`)
  if (facts.n !== undefined && (left.candidateCount ?? 1) > facts.n)
    leave('candidateCount', `${model} gives ${facts.n}`)
  return left
}

/** Leaves out what is the default in every dialect. */
function dropDefaults(sampling: Sampling): void {
  if (sampling.temperature === 1) delete sampling.temperature
  if (sampling.topP === 1) delete sampling.topP
}

/** Some models have one temperature, and one `top_p` with it. */
function fixTemperature(
  left: Sampling,
  { facts, model, isOff }: Thinks,
  leave: (key: keyof Sampling, why: string) => void,
): void {
  const fixed = isOff ? (facts.temperatureOff ?? facts.temperature) : facts.temperature
  if (fixed === undefined) return
  if (left.temperature !== fixed) leave('temperature', `${model} takes ${fixed}`)
  if (left.topP === 1) delete left.topP
  leave('topP', `${model} takes one`)
}

function fitLimits(limits: Limits, { facts, model, lose }: Wishes): Limits {
  const { maxOutputTokens: asked, stop, ...rest } = limits
  const { maxOutputTokens: most } = facts
  const isBeyond = asked !== undefined && most !== undefined && asked > most
  if (isBeyond) lose('approximated', 'limits.maxOutputTokens', `${model} gives ${most}`)
  const isStopped = stop !== undefined && stop.length > 0 && facts.stops !== false
  if (stop && stop.length > 0 && !isStopped) lose('dropped', 'limits.stop')
  return {
    ...rest,
    ...(asked !== undefined && { maxOutputTokens: isBeyond ? most : asked }),
    ...(isStopped && { stop }),
  }
}
