import type { Problem } from '../model/problem.ts'
import type { Block, Request, Turn } from '../model/request.ts'
import { emptyRequest } from '../rules/empty-request.ts'
import { CHARACTERS_PER_TOKEN, estimateTokens, TOKENS_PER_MEDIUM } from '../rules/estimate.ts'

/** How much of a conversation is kept after the upstream has found it too long once, and twice. */
const KEPT = [0.6, 0.3] as const
/** How much is kept of what the upstream says that it takes, once and twice. */
const OF_RATIO = [0.85, 0.6] as const
/** How many characters of a long text stay at either end. */
const ENDS = [2000, 400] as const

const LEFT_OUT = '[Turns of the conversation were left out here, because it was too long.]'

/**
 * A conversation that fits a smaller window: the oldest results of tools are cut to their beginning and their end, then
 * the oldest turns behind the first go, then long texts are cut. `step`: how often it has been too long.
 */
export function shorterBy(
  request: Request,
  step: 1 | 2,
  { used, limit }: NonNullable<Problem['tokens']> = {},
): Request {
  const ratio = used !== undefined && limit !== undefined ? limit / used : undefined
  const at = step - 1
  const share = ratio === undefined ? KEPT[at] : ratio * (OF_RATIO[at] ?? 1)
  const cutting = {
    ends: ENDS[at] ?? 0,
    excess: Math.ceil(estimateTokens(request) * (1 - (share ?? 1)) * CHARACTERS_PER_TOKEN),
  }
  const plain = request.turns.map(withoutReasoning)
  const cut = cutTexts(plain, cutting, 'results')
  const fewer = cutting.excess > 0 ? withoutOldest(cut, cutting) : cut
  const turns = cutting.excess > 0 ? cutTexts(fewer, cutting, 'all') : fewer
  const { inputTokens: _, ...rest } = request
  return { ...rest, turns }
}

/** `excess`: how many characters are still too many. */
interface Cutting {
  ends: number
  excess: number
}

/** A thought is valid only behind what stood before it, and that is gone. */
export function withoutReasoning(turn: Turn): Turn {
  const blocks = turn.blocks.flatMap((block): Block[] => {
    if (block.kind === 'reasoning') return []
    if (!('proof' in block)) return [block]
    const { proof: _, ...rest } = block
    return [rest]
  })
  return { ...turn, blocks }
}

/** Cuts long texts from the oldest on, as long as something is too much. */
const cutTexts = (turns: readonly Turn[], cutting: Cutting, which: 'results' | 'all'): Turn[] =>
  turns.map((turn) => ({
    ...turn,
    blocks: turn.blocks.map((block) => cutBlock(block, cutting, which === 'all')),
  }))

function cutBlock(block: Block, cutting: Cutting, isCut: boolean): Block {
  if (cutting.excess <= 0) return block
  if (block.kind === 'text' && isCut) return { ...block, text: cutText(block.text, cutting) }
  if (block.kind === 'media' && isCut) return withoutMedium(cutting)
  if (block.kind !== 'tool-result') return block
  return { ...block, content: block.content.map((each) => cutBlock(each, cutting, true)) }
}

function withoutMedium(cutting: Cutting): Block {
  cutting.excess -= TOKENS_PER_MEDIUM * CHARACTERS_PER_TOKEN
  return { kind: 'text', text: '[A picture or a file was left out here.]' }
}

function cutText(text: string, cutting: Cutting): string {
  const { ends } = cutting
  const left = text.length - 2 * ends
  if (left <= ends) return text
  cutting.excess -= left
  return `${text.slice(0, ends)}\n[${left} characters were left out here.]\n${text.slice(-ends)}`
}

/** Without the oldest turns behind the first of the user, up to one that does not answer a call. */
function withoutOldest(turns: readonly Turn[], cutting: Cutting): Turn[] {
  const first = turns.findIndex(({ role }) => role === 'user') + 1
  let end = first
  while (end < turns.length - 1 && (cutting.excess > 0 || answersCall(turns[end]))) {
    cutting.excess -= sizeOfTurn(turns[end])
    end += 1
  }
  if (end === first || answersCall(turns[end])) return [...turns]
  const note: Turn = { role: 'user', blocks: [{ kind: 'text', text: LEFT_OUT }] }
  return [...turns.slice(0, first), note, ...turns.slice(end)]
}

const answersCall = (turn: Turn | undefined): boolean =>
  turn?.blocks.some(({ kind }) => kind === 'tool-result') === true

const sizeOfTurn = (turn: Turn | undefined): number =>
  CHARACTERS_PER_TOKEN * estimateTokens({ ...emptyRequest(''), turns: turn ? [turn] : [] })
