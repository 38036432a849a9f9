import type { Dialect } from '../../adapters/dialect.ts'
import type { Json, JsonObject } from '../../src/json/json.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { translator } from '../../src/named-translator.ts'
import type { Sample } from './samples.ts'

/**
 * What becomes of a word between two dialects, found out by saying it and leaving it out: what is made of it
 * changes (carried), a loss is told (reported), it is refused before anything is sent, or nothing of these (silent).
 */
export type Fate = 'carried' | 'reported' | 'refused' | 'silent'

/** What a body becomes, with ids and times that differ each time made equal. */
interface Outcome {
  readonly text: string
  readonly losses: string
  readonly refused?: string
}

const CHANGING = /[0-9a-f]{24}|"(?:created|created_at|completed_at|createTime)":[^,}]+/g

function outcome(say: () => { text: string; losses: readonly { code: string; path: string }[] }) {
  try {
    const { text, losses } = say()
    const told = losses.map(({ code, path }) => `${code} ${path}`).join('\n')
    return { text: text.replace(CHANGING, ''), losses: told }
  } catch (error) {
    if (error instanceof ProblemError) return { text: '', losses: '', refused: error.message }
    throw error
  }
}

/** Says bodies of one dialect over another one, each once. */
export class BodySpeaker {
  readonly #say: (body: Json) => Outcome
  readonly #said = new Map<string, Outcome>()

  private constructor(say: (body: Json) => Outcome) {
    this.#say = say
  }

  static asking(from: Dialect, to: Dialect): BodySpeaker {
    const speaker = translator({ from, to, model: 'm' })
    return new BodySpeaker((body) => outcome(() => speaker.request(JSON.stringify(body))))
  }

  /** Replies of `upstream`, as a caller of `caller` hears them. */
  static answering(upstream: Dialect, caller: Dialect, request: JsonObject): BodySpeaker {
    const speaker = translator({ from: caller, to: upstream, model: 'm' })
    speaker.request(request)
    return new BodySpeaker((body) => outcome(() => speaker.reply(JSON.stringify(body))))
  }

  outcome(body: Json): Outcome {
    const text = JSON.stringify(body)
    const known = this.#said.get(text)
    if (known) return known
    const made = this.#say(body)
    this.#said.set(text, made)
    return made
  }

  fateOf({ body, without }: Sample): Fate {
    const said = this.outcome(body)
    if (said.refused !== undefined) return 'refused'
    for (const [at, less] of without.entries()) {
      const other = this.outcome(less)
      if (said.text !== other.text && at === 0) return 'carried'
      // It goes with what holds it, of which it is told.
      if (said.text === other.text && said.losses !== other.losses) return 'reported'
    }
    return 'silent'
  }
}
