import type { Counts, Dialect, Stop, Wire } from './script.ts'
import type { Stage } from './stage.ts'

/** A tool as a program offers it. */
export interface ToolOffer {
  name: string
  description: string
  schema: Wire & { type: 'object' }
}

export interface TalkOptions {
  stream: boolean
  system?: string
  tools?: ToolOffer[]
  thinking?: boolean
  maxTokens?: number
  temperature?: number
  stopAt?: string[]
}

export interface MadeCall {
  id: string
  name: string
  input: Wire
}
/** One reply, as the client library understood it. */
export interface Outcome {
  text: string
  thinking: string
  calls: MadeCall[]
  stop: Stop
  counts: Partial<Counts>
  model: string
}

export interface ToolAnswer {
  call: MadeCall
  output: string
  failed?: boolean
  image?: { mediaType: string; data: string }
}

/** A conversation whose history the client library keeps in its own form, as a program would. */
export interface Talk {
  say(words: string, image?: { mediaType: string; data: string }): Promise<Outcome>
  answer(answers: ToolAnswer[]): Promise<Outcome>
}

/** One client library. */
export interface Driver {
  name: string
  /** The model's name that its conversations ask for. */
  asked: string
  dialect: Dialect
  /** Shows its program no thoughts, and so brings none of their proofs back. */
  forgetsThoughts?: boolean
  talk(stage: Stage, options: TalkOptions): Talk
}
