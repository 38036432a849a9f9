import { hearResponses } from '../../sdk/hear-responses.ts'
import { MODEL, said, text, type Wire } from '../../sdk/script.ts'
import { responsesBody, responsesEvents } from '../../sdk/speak-responses.ts'
import { type Scripted, stopsOf } from '../scripted.ts'
import { failureInStream, refusals } from './refusals.ts'

export const scripted: Scripted = {
  hear: hearResponses,
  body: responsesBody,
  events: responsesEvents,
  proves: true,
  proofs: ['gAAAAABo-enc_1-Zx9==', 'gAAAAABo-enc_2-Zx9=='],
  ids: ['call_MkzhR5UKwMZxG9Ud4RkTWSLX', 'call_a7Fq21bVh0dQmPz8XnC4yTeK'],
  idPrefix: 'call_',
  hearsThoughts: true,
  tellsWithheld: false,
  joinsTexts: false,
  stops: stopsOf('stop'),
  refusals,
  failureInStream,
  statuses: { overloaded: 503, key: 401 },
  found({ query, url, title, words }) {
    const body = responsesBody(said([text(words)]), MODEL)
    const [message] = body['output'] as Wire[]
    const span = { start_index: 0, end_index: words.length }
    const annotation = { type: 'url_citation', ...span, url, title }
    return {
      ...body,
      output: [
        {
          type: 'web_search_call',
          id: 'ws_6891a5f2c1b481a0',
          status: 'completed',
          action: { type: 'search', query, sources: [{ type: 'url', url }] },
        },
        {
          ...message,
          content: [{ type: 'output_text', text: words, annotations: [annotation], logprobs: [] }],
        },
      ],
    }
  },
  searchTool: /"type":"web_search/,
}
