/** What the packages say of models, before one value is chosen of many. */

/** A part that a source leaves open is null. */
export type Value = string | number | boolean | readonly (string | number | null)[]
export type Facts = Readonly<Record<string, Value | null | undefined>>

/** A package that keeps a table of models. */
export interface Source {
  /** The letter by which the table names it. */
  letter: string
  name: string
  version: string
}

export interface Statement {
  value: Value
  from: Source[]
}

export interface Said {
  maker: string
  facts: Map<string, Statement[]>
}

/** Pictures, sound, vectors, and models for one kind of task: no conversations. */
const OTHERS =
  /image|imagen|embed|tts|audio|realtime|live|transcri|veo|lyria|robotics|omni|whisper|moderation|ocr|video|aqa|deep-research|voxtral|nano-banana|dall-e|search-preview|search-api|computer-use|learnlm|container|-fim|banana|rerank|translate|gemma-[12]|cyber|rosalind|daybreak|-exp-|gemini-gemma|instruct$/i

/** Collects statements, model by model. */
export class Statements {
  readonly models = new Map<string, Said>()
  readonly sources = new Set<Source>()

  say(source: Source, maker: string, model: string, facts: Facts): void {
    const name = model.trim()
    if (name === '' || OTHERS.test(name)) return
    this.sources.add(source)
    const said = this.models.get(name) ?? { maker, facts: new Map<string, Statement[]>() }
    this.models.set(name, said)
    for (const [fact, value] of Object.entries(facts))
      if (value !== undefined && value !== null && !Number.isNaN(value))
        said.facts.set(fact, withStatement(said.facts.get(fact) ?? [], value, source))
  }

  /** The names of a maker, of which a table by beginnings of names is asked. */
  namesOf(maker: string): string[] {
    return [...this.models].flatMap(([name, said]) => (said.maker === maker ? [name] : []))
  }
}

function withStatement(list: Statement[], value: Value, source: Source): Statement[] {
  const known = list.find((one) => same(one.value, value))
  if (!known) return [...list, { value, from: [source] }]
  if (!known.from.includes(source)) known.from.push(source)
  return list
}

const same = (one: Value, other: Value): boolean => JSON.stringify(one) === JSON.stringify(other)

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export const ordered = (efforts: readonly string[]): string[] =>
  EFFORTS.filter((effort) => efforts.includes(effort))

/** US dollars per million tokens, rounded, since tables say 5e-06 a token. */
export const money = (dollars: unknown): number | null =>
  typeof dollars === 'number' ? Number(dollars.toPrecision(6)) : null

/** Input, read from a cache, written to it, written for an hour, output. */
export function price(...parts: readonly unknown[]): (number | null)[] | undefined {
  const [input, read, write, hour, output] = parts
  if (typeof input !== 'number' || typeof output !== 'number') return undefined
  return [input, read || null, write || null, hour || null, output].map(money)
}
