import { tokens, type Counts, type Said, type Stop, type Wire } from './script.ts'

const STOPS: Record<Stop, string> = {
  stop: 'STOP',
  'tool-call': 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  'stop-sequence': 'STOP',
}

const usage = ({ input, cached, output, reasoning }: Counts): Wire => ({
  promptTokenCount: input,
  cachedContentTokenCount: cached,
  candidatesTokenCount: output - reasoning,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + output,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: input }],
})

/** The parts of a reply; a proof stands on the part that follows the thought, where the real one puts it. */
function generateContentParts(reply: Said): Wire[] {
  const parts: Wire[] = []
  let proof: string | undefined
  for (const piece of reply.pieces) {
    const signed = proof === undefined ? {} : { thoughtSignature: proof }
    if (piece.kind === 'thinking') {
      if (piece.text !== '') parts.push({ text: piece.text, thought: true })
      proof = piece.proof
      continue
    }
    if (piece.kind === 'text') parts.push({ text: piece.text, ...signed })
    else if (piece.kind === 'call') {
      const id = piece.id === '' ? {} : { id: piece.id }
      const functionCall = { ...id, name: piece.name, args: JSON.parse(piece.input) }
      parts.push({ functionCall, ...signed })
    } else throw new Error(`a generate-content upstream says no ${piece.kind}`)
    proof = undefined
  }
  return parts
}

const RATINGS = [
  { category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' },
  { category: 'HARM_CATEGORY_HATE_SPEECH', probability: 'NEGLIGIBLE' },
]

const around = (model: string): Wire => ({
  modelVersion: model,
  responseId: 'r3sp0nse1dAAAAAAAAAA',
})

/** The reply of a generate-content upstream, whole. */
export function generateContentBody(reply: Said, model: string): Wire {
  const content = { role: 'model', parts: generateContentParts(reply) }
  const candidate = { content, finishReason: STOPS[reply.stop], index: 0, safetyRatings: RATINGS }
  return { candidates: [candidate], usageMetadata: usage(reply.counts), ...around(model) }
}

/** The same reply as its chunks: text in pieces, the signature on the last of them. */
export function generateContentChunks(reply: Said, model: string): string[] {
  const parts = generateContentParts(reply).flatMap(pieces)
  const last = parts.length - 1
  const chunks = parts.map((part, index) => ({
    candidates: [
      {
        content: { role: 'model', parts: [part] },
        ...(index === last && { finishReason: STOPS[reply.stop] }),
        index: 0,
      },
    ],
    usageMetadata:
      index === last
        ? usage(reply.counts)
        : { promptTokenCount: reply.counts.input, totalTokenCount: reply.counts.input },
    ...around(model),
  }))
  const empty = { ...generateContentBody(reply, model) }
  return (chunks.length === 0 ? [empty] : chunks).map(
    (chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`,
  )
}

function pieces(part: Wire): Wire[] {
  const { text, thoughtSignature, ...rest } = part
  if (typeof text !== 'string') return [part]
  const split: Wire[] = tokens(text, 9).map((words) => ({ text: words, ...rest }))
  // The service sends a text's signature late, on a part of its own without text.
  return thoughtSignature === undefined ? split : [...split, { text: '', thoughtSignature }]
}
