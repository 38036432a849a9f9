import type { Folded } from '../../src/canonical/events.ts'
import { parseObject } from '../../src/canonical/json.ts'
import type { Block, Citation, Seal, Usage } from '../../src/canonical/model.ts'

/** What a reply says, one text per aspect, so that a difference has a name. */
export type Aspects = ReadonlyMap<string, string>

interface Piece {
  kind: string
  text: string
  seal: Seal | undefined
  citations: Citation[]
}

/** Names the aspects in which two accounts of the same thing differ, and how. */
export function differences(expected: Aspects, actual: Aspects): string[] {
  const names = new Set([...expected.keys(), ...actual.keys()])
  return [...names]
    .filter((name) => expected.get(name) !== actual.get(name))
    .map((name) => `${name}: ${short(expected.get(name))} became ${short(actual.get(name))}`)
}

const short = (text: string | undefined): string =>
  text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 300)}…` : text

/** The account of a reply. Its id, its model and leftovers of one dialect are no part of it. */
export function replyAspects(folded: Folded): Aspects {
  const { reply, problem } = folded
  const pieces = settle(reply.blocks.flatMap(pieceOf))
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
    ['seals', pieces.map(sealLine).filter(Boolean).join('\n')],
    ['citations', citationLines(pieces).join('\n')],
    ['finish', problem ? 'error' : (reply.finish ?? 'none')],
    ['stopSequence', reply.stopSequence ?? ''],
  ])
  // A reply that broke off says nothing of what it cost.
  if (!problem) for (const [key, value] of usageLines(reply.usage)) aspects.set(key, value)
  return aspects
}

function usageLines(usage: Usage | undefined): [string, string][] {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = usage ?? {}
  return Object.entries({ input, output, cacheRead, cacheWrite, reasoning }).map(([key, value]) => [
    `usage.${key}`,
    String(value),
  ])
}

function pieceOf(block: Block): Piece[] {
  const piece = (kind: string, text: string): Piece[] => [
    {
      kind,
      text,
      seal: 'seal' in block ? block.seal : undefined,
      citations: block.kind === 'text' ? (block.citations ?? []) : [],
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
        JSON.stringify([block.queries, block.sources.map((source) => source.url)]),
      )
    case 'opaque':
      return piece(block.kind, JSON.stringify(block.value))
    default:
      return block satisfies never
  }
}

/** A JSON input that is blank means the empty object. */
export function callText(block: {
  name: string
  namespace?: string
  form: string
  input: string
}): string {
  const input = block.form === 'json' && block.input.trim() === '' ? '{}' : block.input
  return `${block.namespace ? `${block.namespace}/` : ''}${block.name}(${block.form} ${input})`
}

/** True for an input that dialects with objects can say. */
export const isSayable = (input: string): boolean =>
  input.trim() === '' || parseObject(input) !== undefined

/**
 * Brings pieces into the form in which they can be compared: nothing empty, and neighbours of one kind
 * are one, unless a proof ends the first of them.
 */
function settle(pieces: Piece[]): Piece[] {
  const settled: Piece[] = []
  for (const piece of pieces) {
    const merges = ['text', 'reasoning', 'refusal'].includes(piece.kind)
    if (merges && piece.text === '' && !piece.seal && piece.citations.length === 0) continue
    const before = settled.at(-1)
    if (!merges || !before || before.kind !== piece.kind || before.seal) settled.push({ ...piece })
    else {
      const shift = before.text.length
      before.citations = [
        ...before.citations,
        ...piece.citations.map((citation) => shifted(citation, shift)),
      ]
      before.text += piece.text
      before.seal = piece.seal
    }
  }
  return settled
}

function shifted(citation: Citation, by: number): Citation {
  const { start, end } = citation
  return {
    ...citation,
    ...(start !== undefined && { start: start + by }),
    ...(end !== undefined && { end: end + by }),
  }
}

/** A proof and the block that it belongs to. */
const sealLine = ({ seal, kind, text }: Piece): string =>
  seal ? `${seal.dialect} ${seal.value} on ${kind} ${text}` : ''

const citationLines = (pieces: Piece[]): string[] =>
  pieces.flatMap((piece) =>
    piece.citations.map(({ url, title, start, end }) => JSON.stringify([url, title, start, end])),
  )

/** The proofs of some blocks, in order, with what they belong to. */
export const sealLines = (blocks: Block[]): string[] =>
  settle(blocks.flatMap(pieceOf)).map(sealLine).filter(Boolean)

/** The same without the text around them: enough to find one again in a longer conversation. */
export const sealOwners = (blocks: Block[]): string[] =>
  settle(blocks.flatMap(pieceOf)).flatMap(({ seal, kind }) =>
    seal ? [`${kind} ${seal.dialect} ${seal.value}`] : [],
  )
