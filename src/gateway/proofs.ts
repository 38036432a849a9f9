import type { Writer } from '../../adapters/adapter.ts'
import { fold, type Event } from '../canonical/events.ts'
import { isObject, parseObject, sorted, stringify } from '../canonical/json.ts'
import type { Block, Request, Seal, ToolCallBlock, Turn } from '../canonical/model.ts'
import { fingerprint } from '../canonical/seal.ts'
import type { Exchange } from './exchange.ts'
import { shelfOf, type Memories, type Shelf } from './memories.ts'
import { overheard } from './reply-writer.ts'

/**
 * A second source for proofs of reasoning, for clients that drop what they were given. They are kept by the
 * call that they led to, for the caller that was given them, and used only for a turn that came back
 * without any.
 */
interface Proofs {
  /** What was thought before the call, signed. */
  reasoning: Reasoning[]
  /** The proof of the call itself. */
  seal?: Seal
}

interface Reasoning {
  text: string
  redacted?: true
  seal: Seal
}

/** Ids of calls may repeat between conversations, so name and input have to be the same too. */
const placeOf = ({ id, name, input }: ToolCallBlock): string =>
  `proof-${fingerprint(id)}${fingerprint(`${name}\n${plain(input)}`)}`

/** Clients write JSON anew. */
function plain(input: string): string {
  const value = parseObject(input)
  return value ? stringify(sorted(value)) : input
}

/** Listens for the proofs of a reply. */
export interface ProofKeeper {
  listen(writer: Writer): Writer
  /** Keeps them; what cannot be kept is passed over. */
  settle(): Promise<void>
}

/** Undefined where the configuration does not ask for it, or the request asks for nothing to be kept. */
export function proofKeeperOf(
  exchange: Exchange,
  { store }: Pick<Request, 'store'>,
): ProofKeeper | undefined {
  const { memories } = exchange
  if (!memories?.retention.proofs || store === false) return undefined
  const events: Event[] = []
  return {
    listen: (writer) => overheard(writer, (event) => events.push(event)),
    settle: () => keepProofs(exchange, memories, fold(events).reply.blocks).catch(() => {}),
  }
}

async function keepProofs(
  exchange: Exchange,
  memories: Memories,
  blocks: readonly Block[],
): Promise<void> {
  const reasoning = blocks.flatMap((block) => signed(block) ?? [])
  const entries = blocks
    .filter((block) => block.kind === 'tool-call')
    .flatMap((call, index): [string, Proofs][] => {
      // Of several calls the first one was thought about.
      const proofs = { reasoning: index === 0 ? reasoning : [], ...sealOf(call) }
      return proofs.seal || proofs.reasoning.length > 0 ? [[placeOf(call), proofs]] : []
    })
  if (entries.length === 0) return
  const shelf = await shelfOf(exchange, memories)
  await Promise.all(entries.map(([place, proofs]) => shelf.put(place, JSON.stringify(proofs))))
}

const sealOf = ({ seal }: ToolCallBlock): { seal?: Seal } => (seal ? { seal } : {})

function signed(block: Block): Reasoning | undefined {
  if (block.kind !== 'reasoning' || !block.seal) return undefined
  const { text, redacted, seal } = block
  return { text, seal, ...(redacted && { redacted }) }
}

/** The request with the proofs that its caller did not bring back. A store that is down is not missed. */
export async function withProofs(
  exchange: Exchange,
  request: Request,
  dialect: string,
): Promise<Request> {
  const { memories } = exchange
  const bare = memories?.retention.proofs ? request.turns.filter(isBare) : []
  if (!memories || bare.length === 0) return request
  const shelf = await shelfOf(exchange, memories)
  // A call is known by its input, all of it.
  const whole = ({ blocks, ...turn }: Turn): Turn => ({
    ...turn,
    blocks: blocks.map((block) =>
      block.kind === 'tool-call' ? { ...block, input: exchange.body.filled(block.input) } : block,
    ),
  })
  const turns = await Promise.all(
    request.turns.map((turn) => (bare.includes(turn) ? proven(shelf, whole(turn), dialect) : turn)),
  )
  return { ...request, turns }
}

/** A turn with calls and without a single proof. */
const isBare = ({ role, blocks }: Turn): boolean =>
  role === 'assistant' &&
  blocks.some((block) => block.kind === 'tool-call') &&
  !blocks.some((block) => 'seal' in block && block.seal)

async function proven(shelf: Shelf, turn: Turn, dialect: string): Promise<Turn> {
  const found = await Promise.all(
    turn.blocks.map((block) =>
      block.kind === 'tool-call' ? proofsOf(shelf, block, dialect) : undefined,
    ),
  )
  const reasoning = found.flatMap((proofs) => proofs?.reasoning ?? [])
  const blocks = turn.blocks.flatMap((block, index): Block[] => {
    // What is brought back replaces what the client kept of the thoughts.
    if (block.kind === 'reasoning' && reasoning.length > 0) return []
    const seal = found[index]?.seal
    return [seal && block.kind === 'tool-call' ? { ...block, seal } : block]
  })
  const thoughts = reasoning.map((each) => ({ kind: 'reasoning' as const, ...each }))
  return { ...turn, blocks: [...thoughts, ...blocks] }
}

/** Only proofs that the upstream issued itself are of use to it. */
async function proofsOf(
  shelf: Shelf,
  call: ToolCallBlock,
  dialect: string,
): Promise<Proofs | undefined> {
  const text = await shelf.get(placeOf(call)).catch(() => undefined)
  const kept = text === undefined ? undefined : readProofs(text)
  if (!kept) return undefined
  const { reasoning, seal } = kept
  return {
    reasoning: reasoning.filter((each) => each.seal.dialect === dialect),
    ...(seal?.dialect === dialect && { seal }),
  }
}

function readProofs(text: string): Proofs | undefined {
  const value: unknown = parseObject(text)
  return isProofs(value) ? value : undefined
}

/** Nobody else writes where they are kept, so a look at their shape is enough. */
const isProofs = (value: unknown): value is Proofs =>
  isObject(value) && Array.isArray(value['reasoning'])
