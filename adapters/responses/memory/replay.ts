import type { Frame } from '../../contract.ts'
import { emptyRequest } from '../../../src/model/empty-request.ts'
import type { JsonObject } from '../../../src/json/json.ts'
import { eventText } from '../../../src/stream/event-text.ts'
import { textIn } from '../dialect.ts'
import { recordedOutput } from './record.ts'
import { bringsResponse, filled } from './frames.ts'
import { ResponseReader } from '../reader.ts'
import { ResponseWriter } from '../writer.ts'

/** What was asked is in the response already. */
const REQUEST = emptyRequest('', true)

const lose = () => undefined

/** The stream of a reply that left as one body. */
export function retold(response: JsonObject): Frame[] {
  const newId = idsAgain(recordedOutput({ response }))
  const context = { request: REQUEST, now: 0, lose, newId }
  const writer = new ResponseWriter(context)
  const frames: Frame[] = []
  for (const event of new ResponseReader(context).body(response))
    for (const said of writer.push(event)) {
      const { name: type = '' } = said
      const data = bringsResponse(said.data)
        ? filled({ type }, response, frames.length)
        : eventText(said)
      frames.push({ event: type, data })
    }
  return frames
}

/** Items are written in the order in which they were, so each finds its ids again. */
function idsAgain(items: readonly JsonObject[]): (prefix: string) => string {
  const known = items.flatMap((item) => [textIn(item, 'id'), textIn(item, 'container_id')])
  const left = new Set(known)
  return (prefix) => {
    for (const id of left)
      if (id?.startsWith(prefix)) {
        left.delete(id)
        return id
      }
    return prefix
  }
}
