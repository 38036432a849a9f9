import { fold, type Event, type Folded } from '../model/events.ts'
import { isObject, parseObject, sorted, stringify } from '../json/json.ts'
import type { Block, Request, Proof, TextBlock, ToolCallBlock, Turn } from '../model/request.ts'
import { fingerprint } from '../model/proof.ts'
import type { MemoryContext } from './context.ts'
import { openScopedStore, type ScopedStore } from './records.ts'
import type { Memories } from './context.ts'

/**
 * Keeps proofs of reasoning for clients that drop them. They are stored under the call that they led to, or under the
 * words of the thoughts where there was no call, for the caller that received them, and used only for a turn that came
 * back without proofs.
 */
interface Proofs {
  /** The thoughts before the call, with their proof. */
  reasoning: Reasoning[]
  /** The proof of the call itself, or of the last text of a turn without calls. */
  proof?: Proof
}

interface Reasoning extends Partial<Passed> {
  text: string
  redacted?: true
  proof: Proof
}

/** What of a turn stands before a place in it: services take their thoughts back only where they were. */
interface Passed {
  calls: number
  characters: number
}

/** Ids of calls may repeat between conversations, so name and input are part of the key too. */
const callPlace = ({ id, name, input }: ToolCallBlock): string =>
  `proof-${fingerprint(id)}${fingerprint(`${name}\n${plain(input)}`)}`

/** For a turn without calls. Clients of chat completions have one text for all thoughts. */
function thoughtPlace(blocks: readonly Block[]): string | undefined {
  const text = blocks.map((block) => (block.kind === 'reasoning' ? block.text : '')).join('')
  return text === '' ? undefined : `proof-${fingerprint(text)}${fingerprint(`thought\n${text}`)}`
}

/** Clients serialise JSON again, so inputs are compared as values. */
function plain(input: string): string {
  const value = parseObject(input)
  return value ? stringify(sorted(value)) : input
}

/** Collects the proofs of a reply. */
export interface ProofRecorder {
  hear(event: Event): void
  /** Stores them; a failure is ignored. */
  settle(): Promise<void>
}

/** Undefined where the configuration does not ask for it, or the request says that nothing is to be stored. */
export function createProofRecorder(
  exchange: MemoryContext,
  { store }: Pick<Request, 'store'>,
): ProofRecorder | undefined {
  const { memories } = exchange
  if (!memories?.retention.proofs || store === false) return undefined
  const events: Event[] = []
  return {
    hear: (event) => void events.push(event),
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
  const reasoning = signed(blocks)
  const entries = blocks.filter(isCall).flatMap((call, index): [string, Proofs][] => {
    // Of several calls, the thoughts belong to the first.
    const proofs = { reasoning: index === 0 ? reasoning : [], ...pickProof(call) }
    return proofs.proof || proofs.reasoning.length > 0 ? [[callPlace(call), proofs]] : []
  })
  const place = blocks.some(isCall) ? undefined : thoughtPlace(blocks)
  const kept = { reasoning, ...pickProof(blocks[lastText(blocks)]) }
  if (place !== undefined && (kept.proof || reasoning.length > 0)) entries.push([place, kept])
  if (entries.length === 0) return
  const scoped = await openScopedStore(exchange, memories)
  await Promise.all(entries.map(([place, proofs]) => scoped.put(place, JSON.stringify(proofs))))
}

const isCall = (block: Block): block is ToolCallBlock => block.kind === 'tool-call'

const pickProof = (block: Block | undefined): { proof?: Proof } =>
  block && 'proof' in block && block.proof ? { proof: block.proof } : {}

const lastText = (blocks: readonly Block[]): number =>
  blocks.findLastIndex(({ kind }) => kind === 'text')

function signed(blocks: readonly Block[]): Reasoning[] {
  const passed = { calls: 0, characters: 0 }
  return blocks.flatMap((block): Reasoning[] => {
    pass(passed, block)
    if (block.kind !== 'reasoning' || !block.proof) return []
    const { text, redacted, proof } = block
    return [{ text, proof, ...(redacted && { redacted }), ...passed }]
  })
}

function pass(passed: Passed, block: Block): void {
  if (isCall(block)) passed.calls += 1
  if (block.kind === 'text') passed.characters += block.text.length
}

/** Adds proofs that the caller did not bring back. Without a working store the request stays as it is. */
export async function withProofs(
  exchange: MemoryContext,
  request: Request,
  dialect: string,
): Promise<Request> {
  const { memories } = exchange
  const bare = memories?.retention.proofs ? bareReplies(request.turns) : []
  if (!memories || bare.length === 0) return request
  const scoped = await openScopedStore(exchange, memories)
  // The key needs the whole input, with its long data.
  const whole = ({ blocks, ...turn }: Turn): Turn => ({
    ...turn,
    blocks: blocks.map((block) =>
      block.kind === 'tool-call'
        ? { ...block, input: exchange.received.filled(block.input) }
        : block,
    ),
  })
  const proven = await Promise.all(
    bare.map((reply) => addProofs(scoped, reply.map(whole), dialect)),
  )
  const written = proven.flat()
  const turns = new Map(bare.flat().map((turn, index) => [turn, written[index]]))
  return { ...request, turns: request.turns.map((turn) => turns.get(turn) ?? turn) }
}

/** Replies with calls or thoughts, and no proof. Some dialects say one in several turns. */
function bareReplies(turns: readonly Turn[]): Turn[][] {
  const replies: Turn[][] = []
  for (const [index, turn] of turns.entries())
    if (turn.role === 'assistant')
      if (turns[index - 1]?.role === 'assistant') replies.at(-1)?.push(turn)
      else replies.push([turn])
  return replies.filter((reply) => isBare(blocksOf(reply)))
}

const blocksOf = (reply: readonly Turn[]): Block[] => reply.flatMap(({ blocks }) => blocks)

const isBare = (blocks: readonly Block[]): boolean =>
  (blocks.some(isCall) || thoughtPlace(blocks) !== undefined) &&
  !blocks.some((block) => 'proof' in block && block.proof)

async function addProofs(
  scoped: ScopedStore,
  reply: readonly Turn[],
  dialect: string,
): Promise<Turn[]> {
  const blocks = blocksOf(reply)
  const found = await Promise.all(
    blocks.map((block) =>
      isCall(block) ? findProofs(scoped, callPlace(block), dialect) : undefined,
    ),
  )
  const place = blocks.some(isCall) ? undefined : thoughtPlace(blocks)
  const thought = place === undefined ? undefined : await findProofs(scoped, place, dialect)
  const thoughts = [...found, thought].flatMap((proofs) => proofs?.reasoning ?? [])
  const proofs = new Map(blocks.map((block, index) => [block, found[index]?.proof]))
  const said = blocks[lastText(blocks)]
  const prove = (block: Block): Block[] => {
    // The stored thoughts replace those that the client kept.
    if (block.kind === 'reasoning' && thoughts.length > 0) return []
    const proof = block === said ? thought?.proof : proofs.get(block)
    return [proof && (isCall(block) || block.kind === 'text') ? { ...block, proof } : block]
  }
  const isJoined = blocks.filter(({ kind }) => kind === 'text').length === 1
  const putBack = thoughtsIn(thoughts, isJoined)
  return reply.map((turn) => ({ ...turn, blocks: putBack(turn.blocks.flatMap(prove)) }))
}

/**
 * Puts thoughts back into the turns of a reply, each where it stood: clients join texts (`isJoined`), so that may be
 * within one. A thought behind which nothing is left stays away.
 */
function thoughtsIn(thoughts: readonly Reasoning[], isJoined: boolean) {
  const rest = [...thoughts]
  const passed = { calls: 0, characters: 0 }
  return (blocks: readonly Block[]): Block[] => {
    const list: Block[] = []
    const ahead = blocks.toReversed()
    for (let block = ahead.pop(); block; block = ahead.pop()) {
      const { calls = 0, characters = 0, ...thought } = rest[0] ?? { calls: Infinity }
      const left = characters - passed.characters
      if ('proof' in thought && calls <= passed.calls && (left <= 0 || block.kind !== 'text')) {
        list.push({ kind: 'reasoning', ...thought })
        ahead.push(block)
        rest.shift()
      } else if (isJoined && calls <= passed.calls && isWithin(block, left)) {
        const { proof: _, ...first } = block
        ahead.push({ ...block, text: block.text.slice(left) })
        ahead.push({ ...first, text: block.text.slice(0, left) })
      } else {
        list.push(block)
        pass(passed, block)
      }
    }
    return list
  }
}

/** Whether it is a text that can be parted there. */
const isWithin = (block: Block, at: number): block is TextBlock =>
  block.kind === 'text' &&
  at < block.text.length &&
  !block.citations &&
  !/^[\uDC00-\uDFFF]/.test(block.text.slice(at, at + 1))

/** An upstream can use only proofs that it issued itself. */
async function findProofs(
  scoped: ScopedStore,
  place: string,
  dialect: string,
): Promise<Proofs | undefined> {
  const text = await scoped.get(place).catch(() => undefined)
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
