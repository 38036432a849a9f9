import type { Writer } from '../../adapters/contract.ts'
import { fold, type Event, type Folded } from '../model/events.ts'
import { isObject, parseObject, sorted, stringify } from '../json/json.ts'
import type { Block, Request, Proof, ToolCallBlock, Turn } from '../model/request.ts'
import { fingerprint } from '../model/proof.ts'
import type { MemoryContext } from './context.ts'
import { openScopedStore, type ScopedStore } from './records.ts'
import type { Memories } from './context.ts'
import { overheard } from '../stream/codec.ts'

/**
 * Keeps proofs of reasoning for clients that drop them. They are stored under the call that they led to, for the
 * caller that received them, and used only for a turn that came back without proofs.
 */
interface Proofs {
  /** The thoughts before the call, with their proof. */
  reasoning: Reasoning[]
  /** The proof of the call itself. */
  proof?: Proof
}

interface Reasoning {
  text: string
  redacted?: true
  proof: Proof
}

/** Ids of calls may repeat between conversations, so name and input are part of the key too. */
const recordPlace = ({ id, name, input }: ToolCallBlock): string =>
  `proof-${fingerprint(id)}${fingerprint(`${name}\n${plain(input)}`)}`

/** Clients serialise JSON again, so inputs are compared as values. */
function plain(input: string): string {
  const value = parseObject(input)
  return value ? stringify(sorted(value)) : input
}

/** Collects the proofs of a reply. */
export interface ProofKeeper {
  listen(writer: Writer): Writer
  /** Stores them; a failure is ignored. */
  settle(): Promise<void>
}

/** Undefined where the configuration does not ask for it, or the request says that nothing is to be stored. */
export function createProofKeeper(
  exchange: MemoryContext,
  { store }: Pick<Request, 'store'>,
): ProofKeeper | undefined {
  const { memories } = exchange
  if (!memories?.retention.proofs || store === false) return undefined
  const events: Event[] = []
  return {
    listen: (writer) => overheard(writer, (event) => events.push(event)),
    settle: async () => {
      const { others = [], ...first } = fold(events)
      // The client goes on with one of the candidates, and only it knows with which.
      const candidates: Folded[] = [first, ...others]
      const kept = candidates.map(({ reply }) => keepProofs(exchange, memories, reply.blocks))
      await Promise.all(kept).catch(() => {})
    },
  }
}

async function keepProofs(
  exchange: MemoryContext,
  memories: Memories,
  blocks: readonly Block[],
): Promise<void> {
  const reasoning = blocks.flatMap((block) => signed(block) ?? [])
  const entries = blocks
    .filter((block) => block.kind === 'tool-call')
    .flatMap((call, index): [string, Proofs][] => {
      // Of several calls, the thoughts belong to the first.
      const proofs = { reasoning: index === 0 ? reasoning : [], ...callProof(call) }
      return proofs.proof || proofs.reasoning.length > 0 ? [[recordPlace(call), proofs]] : []
    })
  if (entries.length === 0) return
  const scoped = await openScopedStore(exchange, memories)
  await Promise.all(entries.map(([place, proofs]) => scoped.put(place, JSON.stringify(proofs))))
}

const callProof = ({ proof }: ToolCallBlock): { proof?: Proof } => (proof ? { proof } : {})

function signed(block: Block): Reasoning | undefined {
  if (block.kind !== 'reasoning' || !block.proof) return undefined
  const { text, redacted, proof } = block
  return { text, proof, ...(redacted && { redacted }) }
}

/** Adds proofs that the caller did not bring back. Without a working store the request stays as it is. */
export async function withProofs(
  exchange: MemoryContext,
  request: Request,
  dialect: string,
): Promise<Request> {
  const { memories } = exchange
  const bare = memories?.retention.proofs ? request.turns.filter(isBare) : []
  if (!memories || bare.length === 0) return request
  const scoped = await openScopedStore(exchange, memories)
  // The key needs the whole input, with its long data.
  const whole = ({ blocks, ...turn }: Turn): Turn => ({
    ...turn,
    blocks: blocks.map((block) =>
      block.kind === 'tool-call' ? { ...block, input: exchange.body.filled(block.input) } : block,
    ),
  })
  const turns = await Promise.all(
    request.turns.map((turn) =>
      bare.includes(turn) ? proven(scoped, whole(turn), dialect) : turn,
    ),
  )
  return { ...request, turns }
}

/** Whether a turn has calls and no proof. */
const isBare = ({ role, blocks }: Turn): boolean =>
  role === 'assistant' &&
  blocks.some((block) => block.kind === 'tool-call') &&
  !blocks.some((block) => 'proof' in block && block.proof)

async function proven(scoped: ScopedStore, turn: Turn, dialect: string): Promise<Turn> {
  const found = await Promise.all(
    turn.blocks.map((block) =>
      block.kind === 'tool-call' ? findProofs(scoped, block, dialect) : undefined,
    ),
  )
  const reasoning = found.flatMap((proofs) => proofs?.reasoning ?? [])
  const blocks = turn.blocks.flatMap((block, index): Block[] => {
    // The stored thoughts replace those that the client kept.
    if (block.kind === 'reasoning' && reasoning.length > 0) return []
    const proof = found[index]?.proof
    return [proof && block.kind === 'tool-call' ? { ...block, proof } : block]
  })
  const thoughts = reasoning.map((each) => ({ kind: 'reasoning' as const, ...each }))
  return { ...turn, blocks: [...thoughts, ...blocks] }
}

/** An upstream can use only proofs that it issued itself. */
async function findProofs(
  scoped: ScopedStore,
  call: ToolCallBlock,
  dialect: string,
): Promise<Proofs | undefined> {
  const text = await scoped.get(recordPlace(call)).catch(() => undefined)
  const kept = text === undefined ? undefined : readProofs(text)
  if (!kept) return undefined
  const { reasoning, proof } = kept
  return {
    reasoning: reasoning.filter((each) => each.proof.dialect === dialect),
    ...(proof?.dialect === dialect && { proof }),
  }
}

function readProofs(text: string): Proofs | undefined {
  const value: unknown = parseObject(text)
  return isProofs(value) ? value : undefined
}

/** Only this program writes here, so checking the shape is enough. */
const isProofs = (value: unknown): value is Proofs =>
  isObject(value) && Array.isArray(value['reasoning'])
