import type { JsonObject } from '../../src/json/json.ts'
import { isSearch, placeTools } from '../../src/model/late-tools.ts'
import type { Request, Tool, ToolChangeBlock } from '../../src/model/request.ts'
import { factsOf } from './dialect.ts'
import type { Takes } from './generations.ts'
import { writeTools, type ToolContext, type WrittenTools } from './tools.ts'

/** The tools before the conversation, and those that it brings. */
export function offeredTools(request: Request, context: ToolContext, { late, deferred }: Takes) {
  const { own, lose } = context
  // Only a search finds what is deferred; without one it comes with the change that names it.
  const isSearched = request.tools.some(isSearch)
  const taken = { late, deferred: own || (deferred && isSearched) }
  const placed = placeTools(request, taken, own ? nothing : lose)
  const head = own ? request.tools.slice(0, factsOf(request).listed ?? 0) : placed.head
  const brought: WrittenTools = { tools: [], choices: new Map() }
  return {
    /** `isMarked`: their cache marks are written elsewhere. */
    tools(isMarked: boolean): WrittenTools {
      const { tools, choices } = writeTools(isMarked ? head.map(withoutMark) : head, {
        ...context,
        deferred: taken.deferred,
      })
      return { tools, choices: new Map([...choices, ...brought.choices]) }
    },
    bring(change: ToolChangeBlock): JsonObject | undefined {
      if (change.cache) lose('dropped', 'cache')
      const { tools, choices } = writeTools(placed.brought(change), { ...context, deferred: false })
      for (const [name, choice] of choices) brought.choices.set(name, choice)
      return tools.length > 0 ? { type: 'additional_tools', role: 'developer', tools } : undefined
    },
  }
}

const nothing = () => undefined

function withoutMark(tool: Tool): Tool {
  if (tool.kind === 'opaque') return tool
  const { cache: _, ...unmarked } = tool
  return unmarked
}
