import { PLACES } from '../../adapters/messages/fields.ts'
import { isObject } from '../../src/json/json.ts'
import type { Loss } from '../../src/model/loss.ts'
import { askedAt, isAsked, type Place } from '../../src/model/places.ts'
import type { Block, BlockOf, Request, Tool, Turn } from '../../src/model/request.ts'
import { callText, differences, type Aspects } from './compare.ts'

/** What is asked for at each place of the dialects' tables; at most of them as it stands. */
const ASPECTS: Readonly<Partial<Record<Place, (request: Request) => string>>> = {
  toolChoice: (request) => JSON.stringify([request.toolChoice?.mode ?? 'auto', chosen(request)]),
  parallelToolCalls: ({ toolChoice, parallelToolCalls }) =>
    String(toolChoice?.mode === 'none' || (parallelToolCalls ?? true)),
  reasoning: ({ reasoning }) => reasoning?.mode ?? '',
  format: ({ format }) => (format && format.type !== 'text' ? format.type : ''),
  user: (request) => request.user ?? shownUser(request),
  tier: ({ tier = '' }) => (['auto', 'default'].includes(tier) ? '' : tier),
}

/** What is forgotten is not sent, and what is stored is no part of what is asked. */
const UNSEEN: ReadonlySet<Place> = new Set(['forgetful', 'store'])

const isPlace = (name: string): name is Place => name in PLACES
const isSeen = (place: Place): boolean => !UNSEEN.has(place)

function placeText(place: Place, request: Request): string {
  const value = askedAt(request, place)
  const own = ASPECTS[place]
  return own ? own(request) : isAsked(place, value) ? JSON.stringify(value) : ''
}

/**
 * A format that cannot be asked for is asked for in words; and where a named tool cannot be forced, it stays on offer
 * alone.
 */
const REPORTED_AS: Record<string, string[]> = {
  tools: ['toolChoice'],
  // Instructions of developers that come first are those before the conversation in some dialects.
  system: ['format', 'turns.0.role'],
  turns: ['format'],
  compact: ['compaction'],
  user: ['metadata'],
}

const FREELY = new Set([
  'reasoning: on became adaptive',
  'reasoning: adaptive became on',
  'reasoning: adaptive became ',
])

/** A difference is excused by a report of the same thing, or of what it is part of. */
export function unreported(expected: Request, actual: Request, losses: readonly Loss[]): string[] {
  const excused = (line: string) => {
    const [aspect = ''] = line.split(':')
    // There each account caches for itself, without a key.
    if (aspect === 'cacheKey' && actual.origin?.dialect === 'messages') return true
    // A model that thinks as it sees fit does so when it is told to think, and when it is told nothing.
    if (FREELY.has(line)) return true
    const names = [aspect, ...(REPORTED_AS[aspect] ?? [])]
    return losses.some(
      ({ path }) => names.some((name) => path.startsWith(name)) || path === aspect.split('.')[0],
    )
  }
  return differences(requestAspects(expected), requestAspects(actual)).filter(
    (line) => !excused(line),
  )
}

/** The account of a request: what must arrive in every dialect, or be reported. */
export function requestAspects(request: Request): Aspects {
  const calls = new Map<string, string>()
  const items = request.turns.flatMap((turn) => turnItems(turn, calls))
  const { format } = request
  return new Map([
    ['system', systemText(request)],
    ['turns', joinTexts(items).join('\n')],
    ['tools', request.tools.map(toolItem).join('\n')],
    ...Object.keys(PLACES)
      .filter(isPlace)
      .filter(isSeen)
      .map((place): [string, string] => [place, placeText(place, request)]),
    ['format.schema', format?.type === 'json-schema' ? canonicalText(format.schema) : ''],
  ])
}

/** Who asks, as one dialect keeps it for itself. */
function shownUser({ ext }: Request): string {
  const metadata = ext?.['messages']?.['metadata']
  return isObject(metadata) && typeof metadata['user_id'] === 'string' ? metadata['user_id'] : ''
}

/** Where one instruction ends and the next begins is white space. */
const systemText = ({ system }: Request): string =>
  system
    .flatMap((block) => blockItems(block, new Map()))
    .map((item) => item.replace(/^text /, ''))
    .join(' ')
    .replaceAll(/\s+/g, ' ')

const isMedia = (block: Block): boolean => block.kind === 'media'

/** Roles matter, borders between turns do not: two dialects merge neighbours. */
function turnItems(turn: Turn, calls: Map<string, string>): string[] {
  // Media of results may stand behind all of them.
  const blocks = turn.blocks.map((block) =>
    block.kind === 'tool-result'
      ? { ...block, content: block.content.filter((inner) => !isMedia(inner)) }
      : block,
  )
  const shown = turn.blocks.flatMap((block) =>
    block.kind === 'tool-result' ? block.content.filter(isMedia) : [],
  )
  return [...blocks, ...shown].flatMap((block) =>
    blockItems(block, calls).map((item) => `${turn.role} ${item}`),
  )
}

function blockItems(block: Block, calls: Map<string, string>): string[] {
  switch (block.kind) {
    case 'text':
      return block.text === '' ? [] : [`text ${block.text}`]
    case 'media':
      return [`media ${mediaType(block)} ${JSON.stringify(block.source)}`]
    case 'tool-call':
      calls.set(block.id, `${calls.size}`)
      return [`call ${calls.get(block.id)} ${callText(block)}`]
    case 'tool-result': {
      const content = joinTexts(block.content.flatMap((inner) => blockItems(inner, calls)))
      const said = block.isError ? markedError(content) : content
      return [`result ${calls.get(block.callId)} [${said.join(', ').trimEnd()}]`]
    }
    case 'reasoning':
      return [
        `reasoning ${block.redacted ? 'redacted' : block.text} ${JSON.stringify(block.proof)}`,
      ]
    case 'refusal':
    case 'code':
    case 'code-result':
    case 'search':
    case 'mcp-call':
    case 'mcp-listing':
    case 'tool-search':
    case 'tool-change':
    case 'opaque':
      return [`${block.kind} ${JSON.stringify({ ...block, ext: undefined })}`]
    default:
      return block satisfies never
  }
}

/** Of a link, only what kind of thing it leads to is known everywhere; of one to an image not even that. */
const mediaType = ({ mediaType: type, source }: BlockOf<'media'>): string =>
  'url' in source ? type.replace(/\/.*/, '').replace('image', '') : type

/** A dialect without a flag for failures says it in the text. */
function markedError(content: string[]): string[] {
  const [first = 'text ', ...rest] = content
  if (!first.startsWith('text ')) return ['text Error:', ...content]
  return /^text error:/i.test(first) ? content : [first.replace('text ', 'text Error: '), ...rest]
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

/** The tools that may be called just now; nothing where all may. */
function chosen({ tools, toolChoice }: Request): string[] {
  const { mode, names = [] } = toolChoice ?? {}
  if (mode === 'none') return []
  const callable = tools.flatMap((tool) => ('name' in tool ? [tool.name] : []))
  const some = callable.filter((name) => names.includes(name))
  return mode === 'required' || some.length < callable.length ? some.toSorted() : []
}

function toolItem(tool: Tool): string {
  if (tool.kind === 'hosted') return `hosted ${tool.capability}`
  if (tool.kind === 'opaque' || tool.kind === 'mcp') return `${tool.kind} ${tool.name}`
  const schema = tool.kind === 'function' ? canonicalText(tool.schema ?? '') : 'text'
  return JSON.stringify([tool.namespace ?? '', tool.name, tool.description ?? '', schema])
}

/** A tool without parameters is one with none. */
function canonicalText(schema: string): string {
  if (schema === '') return ''
  const text = JSON.stringify(JSON.parse(schema))
  return text === '{"type":"object","properties":{}}' || text === '{"type":"object"}' ? '' : text
}
