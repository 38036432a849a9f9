import type { Frame, WriteReplyContext, Writer } from '../contract.ts'
import type { Event } from '../../src/model/events.ts'
import { stringify, type JsonObject } from '../../src/json/json.ts'
import { added, LateFrame, PieceFrame } from '../../src/stream/late-frame.ts'
import type { FinishReason, Usage } from '../../src/model/request.ts'
import { Template } from '../../src/stream/template.ts'
import type { Problem } from '../../src/model/problem.ts'
import { ResponseFrame } from './frames.ts'
import { Output } from './output.ts'
import { writeError } from './problems.ts'
import { chooseEnding, chooseFinish, writeUsage } from './reply.ts'
import { writeOpening } from './snapshot.ts'

/** Writes a reply event by event; the body is the response of the last event. */
export function writer(context: WriteReplyContext): Writer {
  const { request, lose } = context
  let frames: Frame[] = []
  let sequence = 0
  let started = false
  let ended = false
  let response: JsonObject | undefined
  let usage: Usage | undefined
  const add = (frame: Frame) => {
    frames = added(frames, frame)
    sequence += 1
  }
  const emit = (type: string, fields: JsonObject) => {
    const event = { type, ...fields, sequence_number: sequence }
    add(new LateFrame(type, () => stringify(event)))
  }
  const tell = (type: string, text: () => string, error?: JsonObject) =>
    add(new ResponseFrame(type, text, sequence, error))
  const row = (type: string, fields: (text: string) => JsonObject) => {
    const pieces = new Template((text, number) => ({
      type,
      ...fields(text),
      sequence_number: number,
    }))
    return (text: string) => add(new PieceFrame(type, pieces, text, sequence))
  }
  const output = new Output({ emit, row }, context)
  const opening = () => (response ??= writeOpening(request, context))
  const start = () => {
    if (started) return
    started = true
    const text = lateText(opening())
    tell('response.created', text)
    tell('response.in_progress', text)
  }
  const end = (type: string, fields: JsonObject, error?: JsonObject) => {
    ended = true
    response = { ...opening(), ...fields }
    tell(type, lateText(response), error)
  }
  const finish = (reason: FinishReason, stopSequence: string | undefined) => {
    const { status, reason: why } = chooseEnding(reason, output.seen)
    if (chooseFinish({ status, reason: why }, output.seen) !== reason)
      lose('approximated', 'reply.finish', reason)
    if (stopSequence !== undefined) lose('dropped', 'reply.stopSequence')
    if (usage?.toolUse) lose('dropped', 'reply.usage.toolUse')
    output.closeItem(status)
    end(`response.${status}`, {
      status,
      completed_at: status === 'completed' ? context.now : null,
      incomplete_details: why === undefined ? null : { reason: why },
      output: output.items,
      usage: writeUsage(usage ?? {}),
    })
  }
  const fail = (problem: Problem) => {
    const error = writeError(problem)
    const partial = output.abandon()
    const counted = usage ? writeUsage(usage) : null
    end('response.failed', { status: 'failed', error, output: partial, usage: counted }, error)
  }
  const write = (event: Event): void => {
    start()
    switch (event.type) {
      case 'start':
        return
      case 'block-start':
        return output.open(event.block)
      case 'block-delta':
        return output.delta(event.text)
      case 'citation':
        return output.cite(event.citation)
      case 'block-end':
        return output.close(event.tail)
      case 'usage':
        usage = { ...usage, ...event.usage }
        return
      case 'finish':
        return finish(event.reason, event.stopSequence)
      case 'error':
        return fail(event.problem)
      default:
        return event satisfies never
    }
  }
  return {
    push(event) {
      if (ended) return []
      write(event)
      const written = frames
      frames = []
      return written
    },
    body: () => opening(),
  }
}

/** Serialised when somebody asks, and once. */
function lateText(value: JsonObject): () => string {
  let text: string | undefined
  return () => (text ??= stringify(value))
}
