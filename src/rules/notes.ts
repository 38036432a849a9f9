import type { LoseOf } from '../model/loss.ts'
import type { Block, DialectName, McpCallBlock, OpaqueBlock, Turn } from '../model/request.ts'

/**
 * What stands in a turn of the model and is none of its words: a summary by another service, a call that the provider of
 * another service made. Told in words, it stands as a note of the user's, since a model goes on in the manner of what it
 * takes for its own.
 */
const isNote = (block: Block, target: DialectName, explains: boolean): boolean =>
  block.kind === 'mcp-call' ||
  (explains && block.kind === 'refusal' && block.text !== '') ||
  (block.kind === 'opaque' && summaryIn(block, target) !== undefined)

const summaryIn = ({ dialect, words }: OpaqueBlock, target: DialectName): string | undefined =>
  dialect === target ? undefined : words || undefined

/** Why there was no answer, in the words of the service and not of its model. */
export const explanationWords = (text: string): string => `[There was no answer: ${text}]`

/** A block that has to be told in words, so; any other one as it is. */
export function blockInWords(block: Block, target: DialectName, lose: LoseOf): Block {
  if (block.kind === 'mcp-call') {
    lose('approximated', '', 'in words')
    return { kind: 'text', text: callWords(block) }
  }
  const text = block.kind === 'opaque' ? summaryWords(block, target) : undefined
  return text === undefined ? block : { kind: 'text', text }
}

function callWords({ server, name, input, output, isError }: McpCallBlock): string {
  const said = output === undefined ? '' : `\n${isError ? 'Error: ' : ''}${output}`
  return `[${name} of ${server} was called with ${input}]${said}`
}

/** A summary that anybody can read, in words that are always the same; undefined for any other block. */
export function summaryWords(block: OpaqueBlock, target: DialectName): string | undefined {
  const words = summaryIn(block, target)
  return words === undefined
    ? undefined
    : `The conversation before this was summed up:\n<summary>\n${words}\n</summary>`
}

/** A turn, or a part of one; `from` is the number of its first block in the turn. */
export interface Part {
  readonly turn: Turn
  readonly from: number
  readonly isNote?: true
}

/**
 * The turn in parts where notes stand in it. The first one that is the model's has the leftovers. `explains`: in this
 * dialect the service explains a refusal, and never its model.
 */
export function parted(turn: Turn, target: DialectName, explains = false): Part[] {
  const { role, blocks, ...beside } = turn
  if (role !== 'assistant' || !blocks.some((block) => isNote(block, target, explains)))
    return [{ turn, from: 0 }]
  const parts: Part[] = []
  let left: Omit<Turn, 'role' | 'blocks'> = beside
  for (const [from, block] of blocks.entries()) {
    const last = parts.at(-1)
    const isApart = isNote(block, target, explains)
    if (last && (last.isNote === true) === isApart) last.turn.blocks.push(block)
    else if (isApart) parts.push({ turn: { role: 'user', blocks: [block] }, from, isNote: true })
    else {
      parts.push({ turn: { ...left, role, blocks: [block] }, from })
      left = {}
    }
  }
  return parts
}
