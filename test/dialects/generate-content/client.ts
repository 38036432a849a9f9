import { isObject, type Json } from '../../../src/json/json.ts'
import { list, none, objects, post, sse, type Client } from '../client.ts'

export const client: Client = {
  incoming: (model, stream) =>
    stream
      ? post(`/v1beta/models/${model}:streamGenerateContent`, sse)
      : post(`/v1beta/models/${model}:generateContent`),
  headers: none,
  request: (_, text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  followUp(request, reply) {
    const contents = objects(reply['candidates']).map((candidate) => candidate['content'] ?? {})
    const parts = contents.flatMap((content) =>
      isObject(content) ? objects(content['parts']) : [],
    )
    const results = parts.flatMap((part) => {
      const call = part['functionCall']
      if (!isObject(call)) return []
      const { id, name } = call
      const response = { output: 'done' }
      return [{ functionResponse: { ...(id && { id }), name: name ?? '', response } }]
    })
    const next = results.length > 0 ? results : [{ text: 'go on' }]
    return {
      ...request,
      contents: [...list(request['contents']), ...contents, { role: 'user', parts: next }],
    }
  },
  gather(frames) {
    const chunks = frames.map(({ data }): Json => JSON.parse(data)).filter(isObject)
    // The official chat keeps the content of every chunk as a content of its own.
    return { candidates: chunks.flatMap((chunk) => list(chunk['candidates'])) }
  },
  history: (request) => list(request['contents']),
  restless: [{}, { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }],
  firstThought: 'contents[1].parts[2]',
  isTerminal: (frame) => /"finish_?[rR]eason"|"block_?[rR]eason"/.test(frame.data),
}
