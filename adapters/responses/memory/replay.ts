import type { Frame } from '../../contract.ts'
import type { Event } from '../../../src/model/events.ts'
import { nothingLost } from '../../../src/model/loss.ts'
import { emptyRequest } from '../../../src/rules/empty-request.ts'
import type { JsonObject } from '../../../src/json/json.ts'
import { eventText } from '../../../src/stream/event-text.ts'
import { keep, memberText } from '../dialect.ts'
import { recordedOutput } from './record.ts'
import { bringsResponse, filledFrame } from './frames.ts'
import { ResponseReader } from '../reader.ts'
import { readTools } from '../tools.ts'
import { ResponseWriter } from '../writer.ts'

/** Makes the stream of a reply that left as one body. */
export function responseFrames(response: JsonObject): Frame[] {
  const newId = idsAgain(recordedOutput({ response }))
  // The response already holds the request's settings, and its tools have the names and kinds of its calls.
  // Which proofs stand behind its last text was decided when it was written, so the writer leaves none out.
  const asked = keep({}, { facts: { proofs: true } })
  const request = { ...emptyRequest('', true), tools: readTools(response['tools']), ...asked }
  const context = { request, now: 0, lose: nothingLost, newId }
  const writer = new ResponseWriter(context)
  const frames: Frame[] = []
  for (const event of new ResponseReader(context).body(response))
    for (const said of writer.push(unexplained(event))) {
      const { name: type = '' } = said
      const data = bringsResponse(said.data)
        ? filledFrame({ type }, response, frames.length)
        : eventText(said)
      frames.push({ event: type, data })
    }
  return frames
}

/** The output already says why the reply ended, so the writer must not add an explanation. */
const unexplained = (event: Event): Event =>
  event.type === 'finish' && event.reason === 'safety' ? { ...event, reason: 'other' } : event

/** Returns the items' ids in their order, so that each item gets its own id again. */
function idsAgain(items: readonly JsonObject[]): (prefix: string) => string {
  const known = items.flatMap((item) => [memberText(item, 'id'), memberText(item, 'container_id')])
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
