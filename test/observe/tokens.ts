import { addressOf, type Adapter } from '../../adapters/contract.ts'
import { readSettings } from '../../src/config/config.ts'
import { writeSample } from '../../src/exchange/reply/sample.ts'
import { createReplaceable } from '../../src/http/app.ts'
import { toResponse } from '../../src/http/respond.ts'
import { isObject, type Json, objectIn, stringify } from '../../src/json/json.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { createObserver } from '../../src/observe/observer.ts'
import { randomId } from '../../src/ports.ts'

/** Holds what the log and the running count say of tokens against what upstreams say that they counted. */

/** A reply as its upstream sent it. */
export interface Said {
  name: string
  dialect: string
  text: string
  stream: boolean
}

/** Every JSON document of a reply, in order. */
const documentsIn = ({ text, stream }: Said): Json[] =>
  (stream
    ? text.split(/\r?\n/).flatMap((line) => /^data: ?(\{.*)$/.exec(line)?.[1] ?? [])
    : [text]
  ).flatMap((json) => {
    try {
      return [JSON.parse(json)]
    } catch {
      return []
    }
  })

const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
const sum = (usage: Json, ...names: string[]): number =>
  names.reduce((total, name) => total + numberOf(objectIn(usage)[name]), 0)

/** What an upstream says that it counted, by its documentation: in and out, the cache and the reasoning within. */
function countedBy(said: Said): [number, number] | undefined {
  let usage: Json | undefined
  for (const document of documentsIn(said)) {
    const { message, response, usage: own, usageMetadata } = objectIn(document)
    const found =
      own ?? usageMetadata ?? objectIn(message)['usage'] ?? objectIn(response)['usage'] ?? null
    // Of messages the later events say only what has changed.
    if (isObject(found)) usage = { ...objectIn(usage), ...found }
    // A few recorded streams hold several replies, one behind the other's end: the first one is the answer.
    const { type } = objectIn(document)
    if (type === 'response.completed' || type === 'message_stop') break
  }
  if (!isObject(usage)) return undefined
  if ('totalTokenCount' in usage || 'promptTokenCount' in usage) {
    const output = sum(usage, 'candidatesTokenCount', 'thoughtsTokenCount')
    const input = sum(usage, 'promptTokenCount', 'toolUsePromptTokenCount')
    // A part that is left out is what the total has besides.
    const isWhole = 'promptTokenCount' in usage
    return [isWhole ? input : sum(usage, 'totalTokenCount') - output, output]
  }
  if ('prompt_tokens' in usage) {
    const output = sum(usage, 'completion_tokens')
    const thought = sum(usage['completion_tokens_details'] ?? null, 'reasoning_tokens')
    // xAI has thoughts beside the completion, which its total says.
    const isBeside = sum(usage, 'prompt_tokens') + output + thought === sum(usage, 'total_tokens')
    return [sum(usage, 'prompt_tokens'), isBeside ? output + thought : output]
  }
  const isExclusive = said.dialect === 'messages'
  const cache = isExclusive ? ['cache_read_input_tokens', 'cache_creation_input_tokens'] : []
  return [sum(usage, 'input_tokens', ...cache), sum(usage, 'output_tokens')]
}

/** A running count over many replies, and beside it what their upstreams said. */
export class TokenCount {
  readonly #observer = createObserver({ version: '1', runtime: 'node' }, () => 0)
  readonly #answers = new Map<string, ReturnType<typeof createReplaceable>['answer']>()
  readonly #log: LogEntry[] = []
  #said: Said | undefined
  replies = 0
  told: [number, number] = [0, 0]

  /** The same by `/usage`. */
  get counted(): [number, number] {
    const { open } = objectIn(objectIn(this.#observer.usage() as Json)['callers'] ?? {})
    return [sum(open ?? {}, 'input'), sum(open ?? {}, 'output')]
  }

  /** What is wrong with the count of a reply that a caller of this dialect has asked for. */
  async ask(said: Said, caller: Adapter): Promise<string | undefined> {
    const counted = countedBy(said)
    if (!counted) return undefined
    const before = this.counted
    const entry = await this.#logged(said, caller)
    const after = this.counted
    // What is refused as no reply has no count either, and a count of nothing where words came is none.
    const told =
      entry?.outcome === 'ok' && !entry.estimated
        ? counted
        : [after[0] - before[0], after[1] - before[1]]
    this.replies += 1
    this.told = [this.told[0] + (told[0] ?? 0), this.told[1] + (told[1] ?? 0)]
    const { input = 0, output = 0 } = entry?.usage ?? {}
    const isCounted = entry?.outcome === 'ok' && !entry.estimated
    const isRight = !isCounted || (input === counted[0] && output === counted[1])
    return isRight ? undefined : `${input}+${output} tokens, not ${counted.join('+')}`
  }

  async #logged(said: Said, caller: Adapter): Promise<LogEntry | undefined> {
    const answer = this.#answers.get(said.dialect) ?? this.#opened(said.dialect)
    this.#answers.set(said.dialect, answer)
    this.#said = said
    this.#log.length = 0
    const sample = writeSample(caller, 'm', said.stream)
    const { headers, body } = sample
    const request = new Request(`http://127.0.0.1${addressOf(sample)}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: stringify(body),
    })
    await toResponse(await answer(request)).text()
    return this.#log[0]
  }

  #opened(dialect: string): ReturnType<typeof createReplaceable>['answer'] {
    const settings = readSettings({ upstreams: { up: { dialect, url: 'https://up.example' } } }, {})
    return createReplaceable(settings, {
      send: async () => {
        const { stream = false, text = '' } = this.#said ?? {}
        const type = stream ? 'text/event-stream' : 'application/json'
        const response = new Response(text, { headers: { 'content-type': type } })
        return { status: 200, headers: response.headers, body: response.body }
      },
      now: () => 0,
      randomId,
      log: (entry) => this.#log.push(entry),
      observer: this.#observer,
    }).answer
  }
}
