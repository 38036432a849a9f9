import { hearGenerateContent } from '../../sdk/hear-generate-content.ts'
import { MODEL, said, text, type Wire } from '../../sdk/script.ts'
import { generateContentBody, generateContentChunks } from '../../sdk/speak-generate-content.ts'
import { type Scripted, stopsOf } from '../scripted.ts'
import { failureInStream, refusals } from './refusals.ts'

export const scripted: Scripted = {
  hear: hearGenerateContent,
  body: generateContentBody,
  events: generateContentChunks,
  proves: true,
  proofs: ['CtwBAVSoXO7c8mB1', 'CtwBAVSoXO7c8mB2'],
  ids: ['', ''],
  idPrefix: '',
  hearsThoughts: false,
  tellsWithheld: false,
  joinsTexts: true,
  stops: stopsOf('stop'),
  refusals,
  failureInStream,
  statuses: { overloaded: 503, key: 403 },
  /** Offsets count bytes of UTF-8. */
  found({ query, url, title, words }) {
    const body = generateContentBody(said([text(words)]), MODEL)
    const [candidate] = body['candidates'] as Wire[]
    const segment = { startIndex: 0, endIndex: new TextEncoder().encode(words).length, text: words }
    return {
      ...body,
      candidates: [
        {
          ...candidate,
          groundingMetadata: {
            webSearchQueries: [query],
            groundingChunks: [{ web: { uri: url, title } }],
            groundingSupports: [{ segment, groundingChunkIndices: [0], confidenceScores: [0.9] }],
            searchEntryPoint: { renderedContent: '<div></div>' },
          },
        },
      ],
    }
  },
  searchTool: /\{"googleSearch":\{/,
}
