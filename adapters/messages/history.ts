import { DAMAGED } from '../../src/rules/foreign.ts'
import { instructionWords } from '../../src/rules/text-tools.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { isEffort } from '../../src/rules/effort.ts'
import { isInstruction, leadingInstructions, passingWords } from '../../src/rules/late-tools.ts'
import {
  nothingLost,
  lossesIn,
  type Lose,
  type LoseOf,
  type NotedPlace,
} from '../../src/model/loss.ts'
import type { Block, BlockOf, Request, Tool, Turn } from '../../src/model/request.ts'
import {
  rememberedEach,
  rememberedWalk,
  WalkMap,
  type WalkStep,
} from '../../src/model/remembered.ts'
import { checkSummaries, plainText, readContent, reading, writeBlock } from './blocks.ts'
import {
  DIALECT,
  isOrigin,
  type ElementContext,
  type WriteContext,
  objectIn,
  listIn,
  textIn,
  keep,
  restOf,
  withoutNulls,
} from './dialect.ts'
import { NO_PROOFS, type ProofChain } from './proofs.ts'
import { effortWord } from './reasoning.ts'
import { pairResults, type Message, type MessagePiece } from './calls.ts'

/**
 * The betas for the members of a system message besides its content (`BetaSystemMessageParam` of @anthropic-ai/sdk
 * 1.12).
 */
export const EFFORT_BETA = 'mid-conversation-output-config-2026-07-01'
export const PASSING_BETA = 'mid-conversation-system-clear-at-2026-08-21'
export const PASSING = 'next_user_message'

interface History {
  readonly turns: Turn[]
  /** The tools that the conversation has brought. */
  late: readonly Tool[]
  /** The names of the calls so far, by their ids. */
  readonly names: WalkMap<string, string>
}

const readWalk = rememberedWalk<JsonObject, History>()

const emptyHistory = (): History => ({ turns: [], late: [], names: new WalkMap() })

/** Reads the conversation and the tools that it brings. Instructions in the middle stay where they are. */
export function readTurns(messages: Json | undefined, offered: readonly Tool[]): History {
  const list = listIn(messages).filter(isObject)
  return readWalk(list, [offered], nothingLost, emptyHistory, (history, message, at) => {
    const { names, late } = history
    const read = at.made(readMessage, message, at.index, { names, offered, late })
    for (const [id, name] of read.calls) names.set(id, name)
    history.turns.push(read.turn)
    history.late = read.late
  })
}

interface ReadMessage {
  readonly turn: Turn
  readonly calls: Iterable<[id: string, name: string]>
  /** The tools that the conversation has brought up to the end of this message. */
  readonly late: readonly Tool[]
}

/** `names`: the names of the calls before this message, by their ids. */
function readMessage(
  message: JsonObject,
  index: number,
  { names, offered, late }: Pick<History, 'names' | 'late'> & { offered: readonly Tool[] },
): ReadMessage {
  const { role, content, ...others } = message
  const context = reading(offered, late, names)
  const { blocks, damaged } = readContent(content, context)
  if (blocks.some(isSummary)) checkSummaries(content, `messages.${index}`)
  const { said, rest } = role === 'system' ? readSettings(others) : { said: {}, rest: others }
  const turn: Turn = {
    role: readRole(textIn(role)),
    blocks,
    ...said,
    ...(damaged && { damagedProof: true as const }),
    ...keep(rest),
  }
  const { callNames, late: brought } = context
  return {
    turn,
    calls: callNames.size > 0 ? callNames : NONE,
    late: brought.length > late.length ? brought : late,
  }
}

const NONE: Iterable<[id: string, name: string]> = []

const isSummary = (block: Block): boolean => block.kind === 'opaque' && block.summary === true

function readSettings({ clear_at, output_config, ...rest }: JsonObject) {
  const { effort, ...output } = withoutNulls(objectIn(output_config))
  const word = textIn(effort)
  const passing = clear_at === PASSING
  const left = { ...output, ...(!isEffort(word) && effort !== undefined && { effort }) }
  const said: Pick<Turn, 'effort' | 'passing'> = {
    ...(isEffort(word) && { effort: word }),
    ...(passing && { passing }),
  }
  return {
    said,
    rest: {
      ...rest,
      ...(!passing && clear_at !== 'never' && { clear_at }),
      ...(Object.keys(left).length > 0 && { output_config: left }),
    },
  }
}

const readRole = (role: string): Turn['role'] =>
  role === 'assistant' || role === 'system' ? role : 'user'

/** Inverse of `readTurns`. Keeps every rule of the service about the order of messages. */
export function writeTurns(request: Request, context: WriteContext): Message[] {
  const { turns } = request
  const { lose, names, hidden, brought, isOpen, takes } = context
  const own = isOrigin(request)
  const first = leadingInstructions(turns)
  const how = [names, hidden, brought, takes.system, takes.changes, takes.deferred, isOpen, own]
  const written = writeEach(turns, how, lose, (before, heard) => {
    const at = lossesIn(heard)
    return (turn, index) => {
      if (index < first) return NOTHING
      const writing = { ...context, lose: at('turns', index) }
      return writeOne(turn, writing, own, before.at(-1)?.chain ?? NO_PROOFS)
    }
  })
  const gathered = gatherWalk(turns, how, lose, nothingGathered, (state, _, at) => {
    const one = written[at.index]
    if (one) addWritten(state, own, at, one)
  })
  for (const beta of gathered.betas) context.betas.add(beta)
  settle(gathered, { lose })
  close(gathered, { lose })
  return pairResults(gathered.messages, gathered.isRepeating === true, lose)
}

const writeEach = rememberedEach<Turn, WrittenTurn>()
const gatherWalk = rememberedWalk<Turn, Gathered>()

interface WrittenTurn {
  readonly pieces: readonly MessagePiece[]
  /** The members of the message besides its content. */
  readonly left: JsonObject
  /** The turn holds instructions that stay where they are. */
  readonly inPlace: boolean
  readonly betas: readonly string[]
  readonly chain: ProofChain
}

const NOTHING: WrittenTurn = { pieces: [], left: {}, inPlace: false, betas: [], chain: NO_PROOFS }

function writeOne(
  turn: Turn,
  context: ElementContext,
  own: boolean,
  before: ProofChain,
): WrittenTurn {
  const { lose, takes } = context
  const betas = new Set<string>()
  const writing = { ...context, betas }
  if (turn.damagedProof && own) lose('dropped', '.seal', DAMAGED)
  const inPlace = takes.system && isInstruction(turn)
  const chain = before.next()
  const pieces = inPlace ? writeInPlace(turn, writing) : writeTurn(turn, writing, chain)
  const settings = inPlace ? writeSettings(turn, writing) : {}
  return { pieces, left: { ...restOf(turn), ...settings }, inPlace, betas: [...betas], chain }
}

interface Gathered {
  /** The finished messages. */
  readonly messages: Message[]
  /** The message that is being gathered. */
  role?: Message['role']
  pieces: MessagePiece[]
  left: JsonObject
  waiting: Message[]
  reordered?: NotedPlace | undefined
  readonly betas: Set<string>
  /** The ids of all calls. `isRepeating`: an id came twice. */
  readonly calls: Set<string>
  isRepeating?: true
}

const nothingGathered = (): Gathered => ({
  messages: [],
  pieces: [],
  left: {},
  waiting: [],
  betas: new Set(),
  calls: new Set(),
})

type Gathering = Pick<WalkStep, 'lose'> & Partial<WalkStep>

/**
 * Gathers pieces into messages. The service takes instructions only behind the user and before the model, and never
 * between calls and their results. So those of another dialect wait until the user has ended.
 */
function addWritten(state: Gathered, own: boolean, at: Gathering, one: WrittenTurn): void {
  const { pieces, left, inPlace, betas } = one
  for (const beta of betas) state.betas.add(beta)
  if (inPlace) {
    if (pieces.length === 0 && Object.keys(left).length === 0) return
    const message: Message = { role: 'system', pieces: [...pieces], left }
    if (own) begin(state, at, message)
    else state.waiting.push(message)
    return
  }
  for (const piece of pieces) append(state, at, piece)
  if (pieces.length > 0 && Object.keys(left).length > 0) state.left = { ...state.left, ...left }
}

function append(state: Gathered, at: Gathering, piece: MessagePiece): void {
  if (piece.role === 'assistant') settle(state, at)
  else if (state.waiting.length > 0) state.reordered ??= state.waiting[0]?.pieces[0]?.place
  const { type, id } = piece.value
  const before = state.calls.size
  if (type === 'tool_use' && state.calls.add(textIn(id)).size === before) state.isRepeating = true
  if (state.role === piece.role) state.pieces.push(piece)
  else begin(state, at, { role: piece.role, pieces: [piece], left: {} })
}

/** Puts the waiting instructions before the model's next words. */
function settle(state: Gathered, at: Gathering): void {
  const { lose } = at
  const waiting = joined(state.waiting)
  state.waiting = []
  if (state.reordered !== undefined)
    lossesIn(lose)(state.reordered)('reordered', '', 'instructions come last')
  state.reordered = undefined
  if (waiting.length === 0) return
  if (state.role !== 'user') {
    const words = wordsOf(waiting, lose)
    if (words) begin(state, at, { role: 'user', pieces: [words], left: {} })
  }
  for (const message of waiting)
    if (message.pieces.length > 0 || 'output_config' in message.left) begin(state, at, message)
}

/** Begins a message, and finishes the one before it. */
function begin(state: Gathered, at: Gathering, message: Message): void {
  close(state, at)
  Object.assign(state, message)
}

function close({ messages, role, pieces, left }: Gathered, { made }: Gathering): void {
  const message = role && { role, pieces, left }
  if (message) messages.push(made ? made(same, message) : message)
}

const same = (message: Message): Message => message

/** Joins neighbouring instructions into one message, unless they hold for different times. */
function joined(messages: readonly Message[]): Message[] {
  const whole: Message[] = []
  for (const message of messages) {
    const last = whole.at(-1)
    const isPlain = Object.keys(message.left).length + Object.keys(last?.left ?? {}).length === 0
    if (last && isPlain) last.pieces.push(...message.pieces)
    else whole.push({ ...message, pieces: [...message.pieces] })
  }
  return whole
}

/**
 * Takes the words out of instructions that would stand behind the model's own. The service refuses that, so the user
 * says the words, in marks.
 */
function wordsOf(messages: Message[], lose: Lose): MessagePiece | undefined {
  const spoken = messages.flatMap(({ pieces }) =>
    pieces.filter(({ value }) => value.type === 'text'),
  )
  const place = messages.flatMap(({ pieces }) => pieces)[0]?.place
  if (place === undefined) return undefined
  for (const message of messages)
    message.pieces = message.pieces.filter(({ value }) => value.type !== 'text')
  lossesIn(lose)(place)('approximated', '.role')
  const texts = spoken.map(({ value }) => textIn(value.text))
  return marked(texts.length > 0 ? texts : [CHANGED], place)
}

const CHANGED = 'The tools that can be called have changed.'

const marked = (texts: readonly string[], place: NotedPlace): MessagePiece => ({
  role: 'user',
  value: { type: 'text', text: instructionWords(texts.join('\n\n')) },
  place,
})

function writeInPlace(turn: Turn, context: ElementContext): MessagePiece[] {
  const at = lossesIn(context.lose)
  const place = context.lose.place()
  return turn.blocks.flatMap((block, index) => {
    const lose = at('.blocks', index)
    if (!['text', 'tool-change', 'opaque'].includes(block.kind)) return lose('dropped', '') ?? []
    const shown = turn.passing && block.kind === 'text' ? withoutMark(block) : block
    const written = writeBlock(shown, { ...context, lose })
    return written.map((value) => ({ role: 'system' as const, value, place }))
  })
}

/** Without the cache mark: the service refuses one on words that it will not show again. */
function withoutMark(block: BlockOf<'text'>): Block {
  const { cache: _, ...rest } = block
  return rest
}

function writeSettings({ effort, passing }: Turn, { betas, lose }: WriteContext): JsonObject {
  if (passing) betas.add(PASSING_BETA)
  if (effort !== undefined) betas.add(EFFORT_BETA)
  const word = effort === undefined ? undefined : effortWord(effort, lose)
  return {
    ...(passing && { clear_at: PASSING }),
    ...(word !== undefined && { output_config: { effort: word } }),
  }
}

function writeTurn(turn: Turn, context: ElementContext, chain: ProofChain): MessagePiece[] {
  if (isInstruction(turn)) return writeInstruction(turn, context)
  const at = lossesIn(context.lose)
  const place = context.lose.place()
  return turn.blocks.flatMap((block, index) => {
    const lose = at('.blocks', index)
    if (!context.isOpen && !chain.takes(block)) {
      lose('dropped', '.seal', 'a thought before it is missing')
      return []
    }
    const role = roleFor(block, turn.role === 'assistant' ? 'assistant' : 'user')
    if (role === 'assistant' && block.kind === 'media') return assistantMedia(lose)
    return writeBlock(block, { ...context, lose }).map((value) => ({ role, value, place }))
  })
}

/** The model cannot send pictures in this dialect. */
function assistantMedia(lose: LoseOf): [] {
  lose('dropped', '', 'media in a reply')
  return []
}

/**
 * The role of a block's message. Results and foreign summaries belong to the user, calls and thoughts to the model,
 * whatever the role of their turn.
 */
function roleFor(block: Block, role: MessagePiece['role']): MessagePiece['role'] {
  if (block.kind === 'tool-result') return 'user'
  if (block.kind === 'opaque' && block.dialect !== DIALECT) return 'user'
  return block.kind === 'tool-call' || block.kind === 'reasoning' ? 'assistant' : role
}

/** Writes later instructions in place as text of the user: moving them up would break prompt caches. */
function writeInstruction(turn: Turn, { lose }: ElementContext): MessagePiece[] {
  const at = lossesIn(lose)
  const text = turn.blocks.map((block) => (block.kind === 'text' ? block.text : '')).filter(Boolean)
  turn.blocks.forEach((block, index) => {
    // The tools that a change brings stand before the conversation.
    if (block.kind === 'tool-change') return
    if (block.kind !== 'text') at('.blocks', index)('dropped', '')
    else if (block.cache) lose('dropped', 'cache')
  })
  if (text.length === 0) return []
  lose('approximated', '.role')
  return [marked(passingWords(turn, text, lose), lose.place())]
}

export const finishMessages = (messages: readonly Message[]): JsonObject[] => [
  ...finishEach(messages.filter(isSaid), [], nothingLost, () => finishMessage),
]

const finishEach = rememberedEach<Message, JsonObject>()

/** Whether a message has content, or an effort, which may stand alone. */
const isSaid = ({ pieces, left }: Message): boolean =>
  pieces.length > 0 || left['output_config'] !== undefined

function finishMessage({ role, pieces, left }: Message): JsonObject {
  const content = pieces.map(({ value }) => value)
  return { role, content: plainText(content) ?? content, ...left }
}
