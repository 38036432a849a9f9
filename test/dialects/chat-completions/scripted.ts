import { chatBody, chatEvents } from '../../sdk/speak-chat-completions.ts'
import { hearChatCompletions } from '../../sdk/hear-chat-completions.ts'
import { MODEL, said, text, type Wire } from '../../sdk/script.ts'
import { type Scripted, stopsOf } from '../scripted.ts'
import { failureInStream, refusals } from './refusals.ts'

export const scripted: Scripted = {
  hear: hearChatCompletions,
  body: chatBody,
  events: chatEvents,
  proves: true,
  proofs: ['EqQBCkgIAhABGAIiQHc6+/sig1==', 'EqQBCkgIAhABGAIiQHc6+/sig2=='],
  ids: ['call_VkzhR5UKwMZxG9Ud4RkTWSLX', 'call_b7Fq21bVh0dQmPz8XnC4yTeK'],
  idPrefix: 'call_',
  hearsThoughts: true,
  tellsWithheld: false,
  joinsTexts: true,
  stops: stopsOf('stop'),
  refusals,
  failureInStream,
  statuses: { overloaded: 503, key: 401 },
  found({ url, title, words }) {
    const body = chatBody(said([text(words)]), MODEL)
    const [choice] = body['choices'] as Wire[]
    const url_citation = { start_index: 0, end_index: words.length, url, title }
    const annotations = [{ type: 'url_citation', url_citation }]
    return {
      ...body,
      choices: [{ ...choice, message: { ...(choice?.['message'] as Wire), annotations } }],
    }
  },
  searchTool: /"web_search_options":/,
  searchModel: 'gpt-4o-search-preview',
  hidesSearch: true,
}
