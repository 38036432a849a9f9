import { hearMessages } from '../../sdk/hear-messages.ts'
import { MODEL, said, text } from '../../sdk/script.ts'
import { messagesBody, messagesEvents } from '../../sdk/speak-messages.ts'
import { type Scripted, stopsOf } from '../scripted.ts'
import { failureInStream, refusals } from './refusals.ts'

export const scripted: Scripted = {
  hear: hearMessages,
  body: messagesBody,
  events: messagesEvents,
  proves: true,
  proofs: ['EqQBCkgIAhABGAIiQHh6+/sig1==', 'EqQBCkgIAhABGAIiQHh6+/sig2=='],
  ids: ['toolu_01A09q90qw90lq917835lq9', 'toolu_01B19x55zz11aa22bb33cc4'],
  idPrefix: 'toolu_',
  hearsThoughts: true,
  tellsWithheld: true,
  joinsTexts: false,
  stops: stopsOf('stop-sequence'),
  refusals,
  failureInStream,
  statuses: { overloaded: 529, key: 401 },
  found: ({ query, url, title, words }) => ({
    ...messagesBody(said([text(words)]), MODEL),
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_01',
        content: [
          { type: 'web_search_result', url, title, encrypted_content: 'RWE=', page_age: null },
        ],
      },
      {
        type: 'text',
        text: words,
        citations: [
          {
            type: 'web_search_result_location',
            url,
            title,
            encrypted_index: 'RWk=',
            cited_text: 'Sunny.',
          },
        ],
      },
    ],
  }),
  searchTool: /"type":"web_search_20\d{6}","name":"web_search"/,
}
