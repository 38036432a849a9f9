import { isObject, parse, type Json, type JsonObject } from '../../json/json.ts'
import type { KeptExchange } from './kept.ts'

const LONGEST = 120

/** Larger bodies are not parsed for the list. */
const MOST_BYTES = 1_048_576

const known = new WeakMap<KeptExchange, string>()

/** The first words of the last turn that says something, as a person would know the exchange by. */
export function lastWords(kept: KeptExchange): string {
  const before = known.get(kept)
  if (before !== undefined) return before
  if (kept.readAt === undefined || kept.body.size > MOST_BYTES) return ''
  const words = wordsIn(kept.body.shown((text) => text, kept.headers.get('content-type')).text)
  known.set(kept, words)
  return words
}

function wordsIn(text: string | undefined): string {
  if (text === undefined || text === '') return ''
  let body: Json
  try {
    body = parse(text)
  } catch {
    return ''
  }
  return shortened(isObject(body) ? turnWords(body) : '')
}

/** In any of the dialects: turns are a list, and what is said in one is a text or a list of parts. */
function turnWords({ messages, input, contents }: JsonObject): string {
  const turns = messages ?? input ?? contents
  if (typeof turns === 'string') return turns
  const list = Array.isArray(turns) ? turns : [turns]
  return list.toReversed().map(saidIn).find(Boolean) ?? ''
}

function saidIn(turn: Json | undefined): string {
  if (!isObject(turn)) return ''
  const { content, parts, output } = turn
  const said = content ?? parts ?? output
  if (typeof said === 'string') return said
  const texts = (Array.isArray(said) ? said : [said]).map((part) =>
    isObject(part) && typeof part['text'] === 'string' ? part['text'] : '',
  )
  return texts.toReversed().find(isPlain) ?? texts.find(Boolean) ?? ''
}

/** Agents put what they know into tags before what their user said. */
const isPlain = (text: string): boolean => text !== '' && !text.startsWith('<')

const shortened = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}
