import type { Loss } from '../model/loss.ts'
import { invalid } from '../model/problem.ts'
import type { Request, Tool } from '../model/request.ts'
import { toolName } from './names.ts'

/**
 * Where all tools of a request, or the one that it forces, are searches and code that the service runs, it is for what
 * they find. A model that is offered none of them answers from memory, which reads like a search that was made. Beside
 * functions of the caller such a tool is one way among others, and the request goes on without it. Throws where nothing
 * else is left.
 */
export function refuseToolless({ tools, toolChoice }: Request, losses: readonly Loss[]): void {
  if (tools.length === 0 || toolChoice?.mode === 'none') return
  const lost = new Set(losses.flatMap(({ code, path }) => (code === 'dropped' ? path : [])))
  const isLost = (tool: Tool): boolean => isRunByService(tool) && lost.has(placeOf(tool))
  const forced = toolChoice?.mode === 'required' ? toolChoice.names : undefined
  const wanted = forced ? tools.filter((tool) => forced.includes(toolName(tool))) : tools
  const [first] = wanted
  if (!first || !wanted.every(isLost)) return
  const place = placeOf(first)
  const what = 'the service has no such tool, and its model would answer as if it had used it'
  throw invalid(
    `${place}: ${what}; leave it out, or send the request to a service that has it.`,
    place,
  )
}

/** Files are searched by a rule of their own (`refuseUnkept`). */
const isRunByService = (tool: Tool): boolean =>
  tool.kind === 'hosted' && /^web-|^code-/.test(tool.capability)

const placeOf = (tool: Tool): string => `tools.${toolName(tool)}`
