import type { Block, Request, Tool, Turn } from '../../src/canonical/model.ts'
import { callText, type Aspects } from './compare.ts'

/** The account of a request: what must arrive in every dialect, or be reported. */
export function requestAspects(request: Request): Aspects {
  const calls = new Map<string, string>()
  const items = request.turns.flatMap((turn) => turnItems(turn, calls))
  const { format, limits, sampling, toolChoice } = request
  return new Map([
    ['system', request.system.flatMap((block) => blockItems(block, calls)).join('\n')],
    ['turns', joinTexts(items).join('\n')],
    ['tools', request.tools.map(toolItem).join('\n')],
    ['toolChoice', JSON.stringify([toolChoice?.mode ?? 'auto', toolChoice?.names ?? []])],
    ['parallelToolCalls', String(request.parallelToolCalls ?? true)],
    ['limits', JSON.stringify([limits.maxOutputTokens, limits.stop ?? []])],
    ['sampling', JSON.stringify(Object.entries(sampling).toSorted())],
    ['reasoning', request.reasoning?.mode ?? ''],
    ['format', format && format.type !== 'text' ? format.type : ''],
    ['schema', format?.type === 'json-schema' ? canonicalText(format.schema) : ''],
    ['user', request.user ?? ''],
    ['labels', JSON.stringify(request.labels ?? {})],
    ['tier', request.tier ?? ''],
    ['cacheKey', request.cacheKey ?? ''],
  ])
}

/** Roles matter, borders between turns do not: two dialects merge neighbours. */
function turnItems(turn: Turn, calls: Map<string, string>): string[] {
  return turn.blocks.flatMap((block) =>
    blockItems(block, calls).map((item) => `${turn.role} ${item}`),
  )
}

function blockItems(block: Block, calls: Map<string, string>): string[] {
  switch (block.kind) {
    case 'text':
      return block.text === '' ? [] : [`text ${block.text}`]
    case 'media':
      return [`media ${block.mediaType} ${JSON.stringify(block.source)}`]
    case 'tool-call':
      calls.set(block.id, `${calls.size}`)
      return [`call ${calls.get(block.id)} ${callText(block)}`]
    case 'tool-result': {
      const content = joinTexts(block.content.flatMap((inner) => blockItems(inner, calls)))
      const error = block.isError ? 'error ' : ''
      return [`result ${calls.get(block.callId)} ${error}[${content.join(', ')}]`]
    }
    case 'reasoning':
      return [`reasoning ${block.redacted ? 'redacted' : block.text} ${JSON.stringify(block.seal)}`]
    case 'refusal':
    case 'code':
    case 'code-result':
    case 'search':
    case 'opaque':
      return [`${block.kind} ${JSON.stringify({ ...block, ext: undefined })}`]
    default:
      return block satisfies never
  }
}

const TEXT = /^((?:user |assistant |system |developer )?text )/

/** Neighbouring texts of one role are one: where they are cut is not kept by every dialect. */
function joinTexts(items: string[]): string[] {
  const joined: string[] = []
  for (const item of items) {
    const prefix = TEXT.exec(item)?.[1]
    const before = joined.at(-1)
    if (prefix !== undefined && before !== undefined && TEXT.exec(before)?.[1] === prefix)
      joined[joined.length - 1] = before + item.slice(prefix.length)
    else joined.push(item)
  }
  return joined
}

function toolItem(tool: Tool): string {
  if (tool.kind === 'hosted') return `hosted ${tool.capability}`
  if (tool.kind === 'opaque') return `opaque ${tool.name}`
  const schema = tool.kind === 'function' ? canonicalText(tool.schema ?? '') : 'text'
  return JSON.stringify([tool.namespace ?? '', tool.name, tool.description ?? '', schema])
}

/** A tool without parameters is one with none. */
function canonicalText(schema: string): string {
  if (schema === '') return ''
  const text = JSON.stringify(JSON.parse(schema))
  return text === '{"type":"object","properties":{}}' || text === '{"type":"object"}' ? '' : text
}
