import type { Frame } from '../../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { ofEach } from './answers.ts'
import type { Grammar } from './grammar.ts'
import {
  array,
  both,
  count,
  exactly,
  filled,
  first,
  list,
  literal,
  loose,
  member,
  nothing,
  nullable,
  object,
  optional,
  payload,
  same,
  string,
  type Shape,
} from './shape.ts'

/** What openai's strict stream reader, the AI SDK and LangChain demand of chunks and completions. */

const finishReason = literal('stop', 'length', 'tool_calls', 'content_filter', 'function_call')

const usage: Shape = both(
  object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: optional(object({ cached_tokens: count })),
    completion_tokens_details: optional(object({ reasoning_tokens: count })),
  }),
  (value, path) => {
    const sum = Number(member(value, 'prompt_tokens')) + Number(member(value, 'completion_tokens'))
    return member(value, 'total_tokens') === sum ? undefined : `${path}.total_tokens: is not ${sum}`
  },
)

const annotations = array(
  object({
    type: literal('url_citation'),
    url_citation: exactly({ start_index: count, end_index: count, title: string, url: filled }),
  }),
)
/** An entry without a format is thrown away by pi. */
const details = array(
  object({
    type: literal('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
    format: filled,
    index: count,
  }),
)

const called = { name: filled, arguments: string }
const custom = { name: filled, input: string }

const call: Shape = (value, path) => {
  const isCustom = member(value, 'type') === 'custom'
  const shape = isCustom
    ? { custom: exactly(custom) }
    : { type: literal('function'), function: exactly(called) }
  return object({ id: filled, ...shape })(value, path)
}

const message = object({
  role: literal('assistant'),
  content: nullable(string),
  refusal: nullable(string),
  reasoning_content: optional(filled),
  reasoning_details: optional(details),
  annotations: optional(annotations),
  tool_calls: optional(array(call, 1)),
})

const completion = object({
  id: filled,
  object: literal('chat.completion'),
  created: count,
  model: string,
  choices: array(object({ index: literal(0), message, finish_reason: finishReason }), 1),
  usage,
})

const delta = object({
  role: optional(literal('assistant')),
  content: loose(string),
  refusal: loose(string),
  reasoning_content: optional(string),
  reasoning_details: optional(details),
  annotations: optional(annotations),
})

const chunk = object({
  id: filled,
  object: literal('chat.completion.chunk'),
  created: count,
  model: string,
  choices: array(object({ index: literal(0), delta, finish_reason: nullable(finishReason) })),
})

const error = exactly({
  error: object({
    message: filled,
    type: filled,
    param: nullable(string),
    code: nullable(string),
  }),
})

/** What has been said so far. */
class Stream {
  #head: JsonObject | undefined
  readonly #calls: JsonObject[] = []
  readonly #lengths = new Map<string, number>()
  #greeted = false
  finished = false
  counted = false
  failed = false

  take(event: JsonObject): string | undefined {
    if (this.failed || this.counted) return 'comes after the end'
    if (event['error'] !== undefined) {
      this.failed = true
      return error(event, 'chunk')
    }
    const wrong = chunk(event, 'chunk')
    if (wrong !== undefined) return wrong
    this.#head ??= event
    for (const key of ['id', 'created', 'model'])
      if (!same(event[key], this.#head[key])) return `${key} changes`
    const [choice, ...others] = list(event['choices'])
    if (others.length > 0) return 'more than one choice'
    return choice === undefined ? this.#count(event) : this.#choice(choice, event)
  }

  #count(event: JsonObject): string | undefined {
    if (!this.finished) return 'counts before the end'
    this.counted = true
    return usage(event['usage'], 'chunk.usage')
  }

  #choice(choice: Json, event: JsonObject): string | undefined {
    if (this.finished) return 'a choice after the end'
    const said = member(choice, 'delta')
    if (!this.#greeted && member(said, 'role') !== 'assistant') return 'the first delta has no role'
    if (this.#greeted && member(said, 'role') !== undefined) return 'a role that is said twice'
    this.#greeted = true
    this.finished = member(choice, 'finish_reason') !== null
    const wrongs = list(member(said, 'tool_calls')).map((one) => this.#call(one))
    return first([
      optional(nothing)(event['usage'], 'chunk.usage'),
      this.#grow(said, 'annotations'),
      this.#grow(said, 'reasoning_details'),
      ...wrongs,
    ])
  }

  /** As openai 2.54 for Python joins lists: it takes the first one as it is, and puts others at their numbers. */
  #grow(said: Json | undefined, name: string): string | undefined {
    const before = this.#lengths.get(name) ?? 0
    let length = before
    for (const entry of list(member(said, name))) {
      const index = member(entry, 'index') ?? (before === 0 ? length : undefined)
      if (typeof index !== 'number' || index > length)
        return `${name}: entry ${String(index)} where there are ${length}`
      if (index === length) length += 1
    }
    this.#lengths.set(name, length)
    return undefined
  }

  /** The first piece of a call is complete but for its arguments; each piece has some of them. */
  #call(piece: Json): string | undefined {
    const index = member(piece, 'index')
    if (index === this.#calls.length) {
      this.#calls.push(isObject(piece) ? piece : {})
      return call(piece, `call ${index}`)
    }
    if (index !== this.#calls.length - 1) return `call ${String(index)} is not the last one`
    if (member(piece, 'id') !== undefined) return 'an id that is said twice'
    const isCustom = this.#calls.at(-1)?.['type'] === 'custom'
    const shape = isCustom
      ? { custom: object({ input: string }) }
      : { function: object({ arguments: string }) }
    return object(shape)(piece, `call ${index}`)
  }
}

function check(frames: readonly Frame[]): string | undefined {
  const stream = new Stream()
  let isDone = false
  for (const [index, frame] of frames.entries()) {
    const wrong = (what: string) => `frame ${index}: ${what}`
    if (frame.event !== undefined) return wrong('has an event line')
    if (isDone) return wrong('comes after [DONE]')
    if (frame.data === '[DONE]') {
      if (!stream.finished) return wrong('[DONE] without an end')
      isDone = true
      continue
    }
    const event = payload(frame.data)
    if (typeof event === 'string') return wrong(event)
    const found = stream.take(event)
    if (found !== undefined) return wrong(found)
  }
  if (frames.length === 0) return 'the stream is empty'
  return stream.finished || stream.failed ? undefined : 'the stream has no end'
}

const checkBody = (body: Json): string | undefined =>
  isObject(body) ? completion(body, 'reply') : 'reply: is no object'

export const chatCompletions: Grammar = ofEach({ check, checkBody }, 'choices')
