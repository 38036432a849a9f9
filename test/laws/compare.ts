import type { Folded } from '../../src/model/events.ts'
import { oneLine } from '../../src/stream/one-line.ts'
import type { Loss } from '../../src/model/loss.ts'
import { readSummaryEnvelope } from '../../src/model/proof.ts'
import type { Block, Citation, Proof, Usage } from '../../src/model/request.ts'

/** What a reply says, one text per aspect, so that a difference has a name. */
export type Aspects = ReadonlyMap<string, string>

interface Piece {
  kind: string
  text: string
  proof: Proof | undefined
  /** Each with the words that it is for. */
  citations: string[]
}

/** Names the aspects in which two accounts of the same thing differ, and how. */
export function differences(expected: Aspects, actual: Aspects): string[] {
  // Counts that nobody gave may be estimated.
  const counted = [...actual.keys()].filter((name) => !name.startsWith('usage.'))
  const names = new Set([...expected.keys(), ...counted])
  return [...names]
    .filter((name) => expected.get(name) !== actual.get(name))
    .map((name) => `${name}: ${short(expected.get(name))} became ${short(actual.get(name))}`)
}

/**
 * How a reply as a whole differs from the same reply as a stream. A stream can pass on an input that is no
 * object; a whole reply may have to put another in its place, and says so.
 */
export function formDifferences(
  streamed: Folded,
  whole: Folded,
  losses: readonly Loss[],
): string[] {
  const excused = losses.some((loss) => loss.path.endsWith('.input'))
  // A whole reply may keep kinds of content apart that a stream brings in their order.
  const isReordered = losses.some(
    ({ code, path }) => code === 'reordered' && path === 'reply.blocks',
  )
  const [one, other] = [new Map(replyAspects(streamed)), new Map(replyAspects(whole))]
  for (const aspects of [one, other]) {
    if (excused) aspects.delete('calls')
    if (!isReordered) continue
    aspects.delete('order')
    aspects.set('seals', (aspects.get('seals') ?? '').split('\n').toSorted().join('\n'))
  }
  return differences(one, other)
}

const short = (text: string | undefined): string =>
  text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 300)}…` : text

/**
 * A reply as one dialect shows it to an upstream's reader: proofs of others travel in disguise there, and
 * what carries nothing else is not there. That they come home is another law's business.
 */
export function withoutForeignProofs(folded: Folded, dialect: string): Folded {
  const blocks = folded.reply.blocks.flatMap((block): Block[] => {
    if (!('proof' in block) || !block.proof) return [block]
    if (block.proof.dialect === dialect && !DISGUISED.test(block.proof.value)) return [block]
    const { proof: _, ...rest } = block
    return rest.kind === 'reasoning' && rest.text === '' ? [] : [rest]
  })
  return { ...folded, reply: { ...folded.reply, blocks } }
}

/** An envelope, as it is or in base64. */
const DISGUISED = /^(?:xseal1\.|eHNlYWwx)/

/** The account of a reply. Its id, its model and leftovers of one dialect are no part of it. */
export function replyAspects(folded: Folded): Aspects {
  const { reply, problem } = folded
  const pieces = settle([...reply.blocks.flatMap(pieceOf), ...explanation(reply)])
  const of = (...kinds: string[]) => pieces.filter((piece) => kinds.includes(piece.kind))
  const texts = (...kinds: string[]) => of(...kinds).map((piece) => piece.text)
  const aspects = new Map([
    ['text', texts('text').join('')],
    ['refusal', texts('refusal').join('')],
    ['reasoning', texts('reasoning', 'redacted').join('')],
    ['calls', texts('tool-call').join('\n')],
    ['media', texts('media').join('\n')],
    ['code', texts('code', 'code-result').join('\n')],
    ['search', texts('search').join('\n')],
    ['opaque', texts('opaque').join('\n')],
    ['order', pieces.map((piece) => piece.kind).join(' ')],
    ['seals', pieces.flatMap(ownerOf).join('\n')],
    ['citations', pieces.flatMap((piece) => piece.citations).join('\n')],
    ['finish', problem ? 'error' : (reply.finish ?? 'none')],
    ['stopSequence', reply.stopSequence ?? ''],
  ])
  // A reply that broke off says nothing of what it cost.
  if (reply.usage && !problem)
    for (const [key, value] of usageLines(reply.usage)) aspects.set(key, value)
  return aspects
}

/** A service explains a refusal in words of the reply, or beside them. */
function explanation({ blocks = [], refused }: Folded['reply']): Piece[] {
  const text = refused?.explanation
  if (text === undefined || blocks.some(({ kind }) => kind === 'refusal')) return []
  return [{ kind: 'refusal', text, proof: undefined, citations: [] }]
}

function usageLines(usage: Usage): [string, string][] {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage
  const thought = Math.min(reasoning, output)
  return Object.entries({ input, output, cacheRead, cacheWrite, reasoning: thought }).map(
    ([key, value]) => [`usage.${key}`, String(value)],
  )
}

function pieceOf(block: Block): Piece[] {
  const piece = (kind: string, text: string): Piece[] => [
    {
      kind,
      text,
      proof: 'proof' in block ? block.proof : undefined,
      citations: block.kind === 'text' ? (block.citations ?? []).map(cited(block.text)) : [],
    },
  ]
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return piece(block.kind, block.text)
    case 'reasoning':
      return piece(block.redacted ? 'redacted' : 'reasoning', block.text)
    case 'tool-call':
      return piece(block.kind, callText(block))
    case 'tool-result':
      return [...piece(block.kind, block.callId), ...block.content.flatMap(pieceOf)]
    case 'media':
      return piece(block.kind, JSON.stringify([block.mediaType, block.source]))
    case 'code':
      return piece(block.kind, block.code)
    case 'code-result':
      return piece(block.kind, `${block.outcome} ${block.output}`)
    case 'search':
      return piece(
        block.kind,
        JSON.stringify([block.queries, block.sources.map((source) => source.url), block.failed]),
      )
    case 'mcp-call':
      return piece(block.kind, JSON.stringify([block.name, block.input, block.output]))
    case 'mcp-listing':
      return piece(block.kind, JSON.stringify([block.server, block.tools, block.error]))
    case 'tool-search':
      return piece(block.kind, block.input)
    case 'tool-change':
      return piece(block.kind, JSON.stringify([block.change, block.tools]))
    case 'opaque': {
      // The summary of another service comes in an envelope.
      const { encrypted_content: sealed } = block.value
      const carried = typeof sealed === 'string' ? readSummaryEnvelope(sealed) : undefined
      const { value } = carried ?? block
      return piece(block.kind, JSON.stringify(Object.entries(value).toSorted()))
    }
    default:
      return block satisfies never
  }
}

/**
 * A JSON input that is blank means the empty object; line ends between its members may become spaces, and what is
 * around it may go. A namespace may be part of the name.
 */
export function callText(block: {
  name: string
  namespace?: string
  form: string
  input: string
}): string {
  const { namespace, name, form, input } = block
  const said = form === 'text' ? input : input.trim() === '' ? '{}' : oneLine(input.trim())
  return `${namespace ? `${namespace}__` : ''}${name}(${form} ${said})`
}

/**
 * Brings pieces into the form in which they can be compared: nothing empty, and neighbours of one kind
 * are one, unless a proof ends the first of them.
 */
function settle(pieces: Piece[]): Piece[] {
  const settled: Piece[] = []
  for (const piece of pieces) {
    const merges = ['text', 'reasoning', 'refusal'].includes(piece.kind)
    if (merges && piece.text === '' && !piece.proof && piece.citations.length === 0) continue
    const before = settled.at(-1)
    if (!merges || !before || before.kind !== piece.kind || before.proof) settled.push({ ...piece })
    else {
      before.citations = [...before.citations, ...piece.citations]
      before.text += piece.text
      before.proof = piece.proof
    }
  }
  return settled
}

/** A citation without a place is one of the whole text. */
const cited =
  (text: string) =>
  ({ url, title, start = 0, end = text.length }: Citation): string =>
    JSON.stringify([url, title, text.slice(start, end)])

/** A proof and the block that it belongs to; whether a call's input arrived is asked elsewhere. */
const proofLine = ({ proof, kind, text }: Piece): string =>
  proof
    ? `${proof.dialect} ${proof.value} on ${kind} ${kind === 'tool-call' ? nameOf(text) : text}`
    : ''

const nameOf = (call: string): string => call.replace(/\(.*/s, '')

/** The proofs of some blocks, in order, with what they belong to. */
export const proofLines = (blocks: Block[]): string[] =>
  settle(blocks.flatMap(pieceOf)).map(proofLine).filter(Boolean)

/** The same without the text around them: enough to find one again in a longer conversation. */
export const proofOwners = (blocks: Block[]): string[] =>
  settle(blocks.flatMap(pieceOf)).flatMap(ownerOf)

const ownerOf = ({ proof, kind }: Piece): string[] =>
  proof ? [`${kind} ${proof.dialect} ${proof.value}`] : []
