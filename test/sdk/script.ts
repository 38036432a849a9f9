/** What a scripted upstream says and hears, in words of its own: independent of the code under test. */
export { DIALECTS, type Dialect } from '../../adapters/dialect.ts'

export type Wire = Record<string, unknown>

export interface TextPiece {
  kind: 'text'
  text: string
}
/** `proof` is what the upstream wants back byte by byte; `omitted`: the words exist, but are not shown. */
export interface ThinkingPiece {
  kind: 'thinking'
  omitted?: true
  text: string
  proof: string
}
/** `input` is JSON text; `id` is empty where the upstream gives none. */
export interface CallPiece {
  kind: 'call'
  id: string
  name: string
  input: string
}
export interface ImagePiece {
  kind: 'image' | 'file'
  mediaType: string
  data: string
}
export interface ResultPiece {
  kind: 'result'
  id: string
  name: string
  output: string
  images: number
  failed: boolean
}
export type Piece = TextPiece | ThinkingPiece | CallPiece | ImagePiece | ResultPiece

export type Stop = 'stop' | 'tool-call' | 'length' | 'refusal' | 'stop-sequence'

/** Inclusive: `input` counts what was cached, `output` what was thought. */
export interface Counts {
  input: number
  cached: number
  output: number
  reasoning: number
}

/** One reply of an upstream. */
export interface Said {
  pieces: Piece[]
  stop: Stop
  counts: Counts
}

/** One request as an upstream understood it. */
export interface Heard {
  system: string
  turns: HeardTurn[]
  tools: HeardTool[]
  choice: string
  maxTokens: number | undefined
  temperature: number | undefined
  stop: string[]
  thinking: boolean
  schema: Wire | undefined
  stream: boolean
}
export interface HeardTurn {
  role: 'user' | 'assistant' | 'system'
  pieces: Piece[]
}
export interface HeardTool {
  name: string
  description: string
  schema: Wire
}

/**
 * `events`: a stream. `cut`: the connection breaks after it; `hold`: it stays open and silent;
 * `silence`: what it waits for in the middle.
 */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  /** The body as it stands. */
  raw?: string
  events?: string[]
  cut?: true
  hold?: { cancelled?: boolean }
  silence?: () => Promise<unknown>
}

export const COUNTS: Counts = { input: 100, cached: 64, output: 40, reasoning: 15 }
export const MODEL = 'dragon-1'

export const text = (words: string): TextPiece => ({ kind: 'text', text: words })
export const thinking = (words: string, proof: string): ThinkingPiece => ({
  kind: 'thinking',
  text: words,
  proof,
})
export const call = (id: string, name: string, input: Wire): CallPiece => ({
  kind: 'call',
  id,
  name,
  input: JSON.stringify(input),
})
export const said = (pieces: Piece[], stop: Stop = 'stop', counts: Counts = COUNTS): Said => ({
  pieces,
  stop,
  counts,
})

/** Splits a text as an upstream's tokens would, surrogate pairs in the middle included. */
export function tokens(words: string, size = 5): string[] {
  const points = [...words]
  const parts: string[] = []
  for (let at = 0; at < points.length; at += size) parts.push(points.slice(at, at + size).join(''))
  return parts
}

export const eventText = (type: string, data: Wire): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

/** Neighbours of one role are one turn, as the service takes them. */
export function merged(turns: HeardTurn[]): HeardTurn[] {
  const list: HeardTurn[] = []
  for (const turn of turns) {
    const last = list.at(-1)
    if (last?.role === turn.role) last.pieces.push(...turn.pieces)
    else list.push({ ...turn, pieces: [...turn.pieces] })
  }
  return list
}
