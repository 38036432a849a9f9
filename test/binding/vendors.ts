import {
  isObject,
  listOf,
  objectIn,
  objectsOf,
  sorted,
  stringify,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import { fingerprint } from '../../src/model/proof.ts'

/**
 * Services that bind reasoning to the conversation it was made in, as both vendors document it (autumn 2026): a
 * proof is good only behind the same instructions, the same set of tools and the same messages, all but the reasoning
 * in them; and behind the one proof that came before it, or the first that is left of them. So reasoning may be cut
 * off at the beginning and at the end, and neither taken out of the middle nor put back.
 */
export interface Vendor {
  answer(body: JsonObject): { status: number; body: JsonObject }
  readonly returned: Returned
}

/** The proofs that came back. */
interface Returned {
  /** How many were good. */
  accepted: number
  /** Those that were not. */
  mismatches: string[]
}

interface Bond {
  prefix: string
  /** The proof before this one. */
  before: string
}

/** One element of a conversation; `proof` is that of reasoning. */
interface Piece {
  text: string
  proof?: string
  place: string
}

const plain = (value: Json): string => stringify(sorted(value))

const MARKS = new Set(['cache_control', 'prompt_cache_breakpoint'])
const unmarked = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !MARKS.has(key)))

/** Their order says nothing, and a hidden tool that nothing refers to is not there. */
const toolSet = (body: JsonObject): string =>
  objectsOf(body['tools'])
    .filter((tool) => tool['defer_loading'] !== true)
    .map((tool) => plain(unmarked(tool)))
    .toSorted()
    .join()

class Bonds {
  readonly #known = new Map<string, Bond>()
  readonly returned: Returned = { accepted: 0, mismatches: [] }

  /**
   * The places of the proofs that are bound to something else, and what a reply will be bound to. What was left out is
   * not there for those behind it either.
   */
  check(head: string, pieces: readonly Piece[]): { failing: Piece[]; bond: Bond } {
    const failing: Piece[] = []
    let prefix = fingerprint(head)
    let before = ''
    for (const piece of pieces) {
      if (piece.proof === undefined) {
        prefix = fingerprint(`${prefix}\0${piece.text}`)
        continue
      }
      const bond = this.#known.get(piece.proof)
      const isBound = bond?.prefix === prefix && (before === '' || bond.before === before)
      if (isBound) {
        this.returned.accepted += 1
        before = piece.proof
      } else {
        failing.push(piece)
        this.returned.mismatches.push(`${piece.place} ${piece.text.slice(0, 60)}`)
      }
    }
    return { failing, bond: { prefix, before } }
  }

  /** The bonds of a reply: each of its thoughts stands behind what of the reply came before it. */
  bind(bond: Bond, pieces: readonly Piece[]): void {
    let { prefix, before } = bond
    for (const { proof, text } of pieces) {
      if (proof === undefined) prefix = fingerprint(`${prefix}\0${text}`)
      else {
        this.#known.set(proof, { prefix, before })
        before = proof
      }
    }
  }
}

const isThinking = ({ type }: JsonObject): boolean =>
  type === 'thinking' || type === 'redacted_thinking'

/** A text at its ends, and one without words, is no difference. */
function messagePieces(messages: readonly JsonObject[]): Piece[] {
  return messages.flatMap(({ role, content }, i) => {
    const blocks: Json[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    return blocks.filter(isObject).flatMap((block, j): Piece[] => {
      const place = `messages.${i}.content.${j}`
      const proof = block['signature'] ?? block['data']
      if (isThinking(block)) return [{ place, text: plain(block), proof: String(proof) }]
      const own = unmarked(block)
      if (own['type'] !== 'text') return [{ place, text: `${String(role)} ${plain(own)}` }]
      const text = String(own['text']).trim()
      return text === '' ? [] : [{ place, text: `${String(role)} ${text}` }]
    })
  })
}

const MESSAGE = 'The block is bound to a different conversation.'
const ADVICE =
  'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'

/** Refuses what is bound elsewhere, or leaves it out where the request says so, or for accounts of old. */
export function messagesVendor(drops = false): Vendor {
  const bonds = new Bonds()
  let turn = 0
  const whole = (body: JsonObject) => {
    const pieces = messagePieces(objectsOf(body['messages']))
    const system = messagePieces([{ role: 'system', content: body['system'] ?? '' }])
    return bonds.check(`${system.map(({ text }) => text).join()}${toolSet(body)}`, pieces)
  }
  return {
    returned: bonds.returned,
    answer(body) {
      const { failing, bond } = whole(body)
      const binding = objectIn(objectIn(body['thinking'])['block_binding'])
      const [first] = failing
      if (first && !drops && binding['prefix_mismatch_behavior'] !== 'drop_block') {
        const message = `${first.place}: Invalid \`signature\` in \`thinking\` block. ${MESSAGE} ${ADVICE}`
        const error = { type: 'invalid_request_error', message }
        return { status: 400, body: { type: 'error', error, request_id: 'req_1' } }
      }
      turn += 1
      const content: JsonObject[] = [
        { type: 'thinking', thinking: `Step ${turn}`, signature: `sig-${turn}-${'x'.repeat(40)}` },
        ...(turn % 5 === 0 ? [{ type: 'redacted_thinking', data: `data-${turn}` }] : []),
        { type: 'text', text: `Turn ${turn}.` },
        ...(turn % 3 === 0
          ? []
          : [{ type: 'tool_use', id: `toolu_${turn}`, name: 'f', input: { turn, x: 1.5 } }]),
      ]
      bonds.bind(bond, messagePieces([{ role: 'assistant', content }]))
      const dropped = failing.map(({ place }) => ({
        type: 'thinking_dropped',
        path: place,
        reason: 'prefix_binding_mismatch',
      }))
      return {
        status: 200,
        body: {
          id: `msg_${turn}`,
          type: 'message',
          role: 'assistant',
          model: 'm',
          content,
          stop_reason: turn % 3 === 0 ? 'end_turn' : 'tool_use',
          stop_sequence: null,
          usage: { input_tokens: 5, output_tokens: 7 },
          ...(failing.length > 0 && { input_transformations: dropped }),
        },
      }
    },
  }
}

/** What of an item is no part of the conversation. */
const UNSAID = new Set(['id', 'status'])

function itemPieces(input: Json | undefined): Piece[] {
  const items: Json[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
  return items.filter(isObject).map((item, index) => {
    const place = `input[${index}]`
    if (item['type'] === 'reasoning')
      return { place, text: String(item['id']), proof: String(item['encrypted_content']) }
    const said = Object.entries(unmarked(item)).filter(([key]) => !UNSAID.has(key))
    const content = objectsOf(item['content']).map((part) => part['text'] ?? unmarked(part))
    return {
      place,
      text: plain({ ...Object.fromEntries(said), type: item['type'] ?? 'message', content }),
    }
  })
}

/** Never refuses, and says what it left out. */
export function responsesVendor(): Vendor {
  const bonds = new Bonds()
  let turn = 0
  return {
    returned: bonds.returned,
    answer(body) {
      const head = `${plain(body['instructions'] ?? '')}${toolSet(body)}`
      const { failing, bond } = bonds.check(head, itemPieces(body['input']))
      turn += 1
      const output: JsonObject[] = [
        {
          type: 'reasoning',
          id: `rs_${turn}`,
          summary: [{ type: 'summary_text', text: `Step ${turn}` }],
          encrypted_content: `enc-${turn}-${'x'.repeat(40)}`,
        },
        {
          type: 'message',
          id: `msg_${turn}`,
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: `Turn ${turn}.`, annotations: [] }],
        },
        ...(turn % 3 === 0
          ? []
          : [
              {
                type: 'function_call',
                id: `fc_${turn}`,
                call_id: `call_${turn}`,
                name: 'f',
                arguments: `{"turn":${turn},"x":1.5}`,
                status: 'completed',
              },
            ]),
      ]
      bonds.bind(bond, itemPieces(output))
      const removed = failing.map(({ text }) => ({
        id: text,
        type: 'reasoning',
        action: 'removed',
        reason: 'prefix_mismatch',
      }))
      return {
        status: 200,
        body: {
          id: `resp_${turn}`,
          object: 'response',
          created_at: 1,
          status: 'completed',
          model: 'm',
          output,
          error: null,
          incomplete_details: null,
          usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
          ...(failing.length > 0 && { input_transformations: removed }),
        },
      }
    },
  }
}
