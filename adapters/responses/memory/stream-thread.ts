import type { Frame, StreamThread, WireEvent } from '../../contract.ts'
import { isObject, parseObject, Verbatim, type JsonObject } from '../../../src/json/json.ts'
import { scalarIn, slicesAt } from '../../../src/json/slices.ts'
import type { StartEvent } from '../../../src/model/events.ts'
import { objectIn, objectsOf } from '../dialect.ts'
import { CONTINUING } from './index.ts'

/** Follows a stream that passes, so that a failure behind it can be its next event. */
export const streamThread = (isRoom: (characters: number) => boolean): StreamThread =>
  new Thread(isRoom)

/** The number of an event. It stands before the response, so a number that the response quotes is not found first. */
const NUMBER = /"sequence_number"\s*:\s*(\d{1,15})/

const ITEM_DONE = 'response.output_item.done'
const IS_ITEM_DONE = /"type"\s*:\s*"response\.output_item\.done"/

class Thread implements StreamThread {
  readonly #isRoom: (characters: number) => boolean
  /** The number of the last event that was read. */
  #count: number | undefined
  /** The last event behind it that was only a piece. There are many, so its number is read only when it is needed. */
  #piece = ''
  /** Whether the reply goes on without its stream; known with the first event. */
  #isContinuing: boolean | undefined
  /** The members of the response that all its events have. */
  #known: JsonObject = {}
  /** The events of items that were done, as they came. */
  readonly #done: string[] = []

  constructor(isRoom: (characters: number) => boolean) {
    this.#isRoom = isRoom
  }

  piece({ data }: Frame): void {
    this.#piece = data
  }

  event(frame: Frame, start: StartEvent | undefined): void {
    const { data } = frame
    const number = numberIn(data)
    if (number !== undefined) {
      this.#count = number
      this.#piece = ''
    }
    if (this.#isContinuing === undefined) this.#open(data, start)
    if (isItemDone(frame) && this.#isRoom(data.length)) this.#done.push(data)
  }

  #open(data: string, start: StartEvent | undefined): void {
    this.#isContinuing = CONTINUING.test(data)
    if (!start) return
    const { id, model, created } = start
    const store = storeIn(data)
    this.#known = {
      ...(id !== '' && { id }),
      ...(model !== '' && { model }),
      ...(created !== undefined && { created_at: created }),
      ...(store !== undefined && { store }),
    }
  }

  /**
   * Where the reply goes on without this stream, or is stored and read again, only the stream has failed. Then the
   * event tells of no response and has no new number: the caller may come back for what follows the last event.
   */
  failure(
    said: WireEvent,
    { isStream, model }: { isStream: boolean; model: string | undefined },
  ): WireEvent {
    const isLeft = this.#isContinuing === true || !isStream
    const { name, data } = isLeft ? broken(said) : said
    if (!isObject(data)) return said
    const number = numberIn(this.#piece) ?? this.#count
    const whole = data['response']
    const response = whole instanceof Verbatim ? whole.value : whole
    return {
      name,
      data: {
        ...data,
        ...(isObject(response) && { response: { ...response, ...this.#said(model) } }),
        ...(number !== undefined && { sequence_number: number + (isLeft ? 0 : 1) }),
      },
    }
  }

  /** The response as far as it came. An unfinished item is missing, because only events of finished ones are kept. */
  #said(model: string | undefined): JsonObject {
    const items = this.#done.map((data) => parseObject(data)?.['item'] ?? null)
    return {
      ...this.#known,
      ...(model !== undefined && { model }),
      output: objectsOf(items),
    }
  }
}

const broken = ({ data }: WireEvent): WireEvent => ({
  name: 'error',
  data: { ...objectIn(objectIn(data)['error']), type: 'error' },
})

function numberIn(event: string): number | undefined {
  const [, number] = NUMBER.exec(event) ?? []
  return number === undefined ? undefined : Number(number)
}

const isItemDone = ({ event, data }: Frame): boolean =>
  event === undefined ? IS_ITEM_DONE.test(data) : event === ITEM_DONE

function storeIn(data: string): boolean | undefined {
  const [slice] = slicesAt(data, ['response', 'store'])
  const store = slice && scalarIn(data.slice(slice.start, slice.end))
  return typeof store === 'boolean' ? store : undefined
}
