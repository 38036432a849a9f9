import type { Frame } from '../../adapters/contract.ts'
import { parseObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Grammar } from './grammar.ts'
import {
  blockStart,
  bodyShape,
  DELTAS,
  deltaShape,
  errorShape,
  startShape,
} from './messages-shapes.ts'
import { list, member, payload, show, text, variant } from './shape.ts'

interface Open {
  type: string
  input: string
  signed: boolean
}

/** Reads one stream, event by event; every step says what is wrong. */
class Walk {
  #started = false
  #stopReason: string | undefined
  #blocks = 0
  #open: Open | undefined
  #brokenInput: string | undefined
  #types = new Set<string>()
  ended = false

  step(event: JsonObject): string | undefined {
    const type = text(event['type'])
    if (this.ended) return 'comes after the end'
    if (type === 'error') {
      this.ended = true
      return errorShape(event, type)
    }
    if (!this.#started) return this.#start(type, event)
    if (type === 'ping') return undefined
    if (type.startsWith('content_block') && this.#stopReason !== undefined)
      return 'comes after message_delta'
    switch (type) {
      case 'content_block_start':
        return this.#blockStart(event)
      case 'content_block_delta':
        return this.#blockDelta(event)
      case 'content_block_stop':
        return this.#blockStop(event)
      case 'message_delta':
        return this.#delta(event)
      case 'message_stop':
        return this.#stop()
      default:
        return 'is unknown or out of place'
    }
  }

  #start(type: string, event: JsonObject): string | undefined {
    this.#started = true
    return type === 'message_start' ? startShape(event, type) : 'comes before message_start'
  }

  #blockStart(event: JsonObject): string | undefined {
    if (this.#open) return 'the block before is still open'
    if (event['index'] !== this.#blocks) return `index ${show(event['index'])}, not ${this.#blocks}`
    this.#blocks += 1
    const type = text(member(event['content_block'], 'type'))
    this.#open = { type, input: '', signed: false }
    this.#types.add(type)
    return blockStart(event['content_block'], 'content_block')
  }

  #blockDelta(event: JsonObject): string | undefined {
    const open = this.#open
    if (!open) return 'no block is open'
    if (event['index'] !== this.#blocks - 1) return `index ${show(event['index'])} is not open`
    const delta = event['delta']
    const wrong = variant('type', DELTAS[open.type] ?? {})(delta, `delta of ${open.type}`)
    if (wrong !== undefined) return wrong
    if (open.signed) return 'a delta follows the signature'
    open.signed = member(delta, 'type') === 'signature_delta'
    open.input += text(member(delta, 'partial_json'))
    return undefined
  }

  #blockStop(event: JsonObject): string | undefined {
    const open = this.#open
    if (!open) return 'no block is open'
    if (event['index'] !== this.#blocks - 1) return `index ${show(event['index'])} is not open`
    if (open.input !== '' && parseObject(open.input) === undefined) this.#brokenInput = open.input
    this.#open = undefined
    return undefined
  }

  #delta(event: JsonObject): string | undefined {
    if (this.#open) return 'a block is still open'
    // Some clients add the counts up.
    if (this.#stopReason !== undefined) return 'comes twice'
    const wrong = deltaShape(event, 'message_delta')
    if (wrong !== undefined) return wrong
    this.#stopReason = text(member(event['delta'], 'stop_reason'))
    if (this.#stopReason === 'end_turn' && this.#types.has('tool_use'))
      return 'end_turn after a tool call'
    if (this.#stopReason === 'tool_use' && this.#brokenInput !== undefined)
      return `the input is no object: ${this.#brokenInput.slice(0, 80)}`
    return undefined
  }

  #stop(): string | undefined {
    if (this.#open) return 'a block is still open'
    if (this.#stopReason === undefined) return 'there was no message_delta'
    this.ended = true
    return undefined
  }
}

function check(frames: readonly Frame[]): string | undefined {
  const walk = new Walk()
  for (const [index, frame] of frames.entries()) {
    const event = payload(frame.data)
    if (typeof event === 'string') return `frame ${index}: ${event}`
    const type = text(event['type'])
    const wrong = frame.event === type ? walk.step(event) : `event line ${frame.event}`
    if (wrong !== undefined) return `frame ${index} (${type}): ${wrong}`
  }
  return walk.ended ? undefined : 'the stream has no end'
}

function checkBody(body: Json): string | undefined {
  const wrong = bodyShape(body, 'reply')
  if (wrong !== undefined) return wrong
  const calls = list(member(body, 'content')).some((block) => member(block, 'type') === 'tool_use')
  return calls && member(body, 'stop_reason') === 'end_turn'
    ? 'reply: end_turn after a tool call'
    : undefined
}

export const messages: Grammar = { check, checkBody }
