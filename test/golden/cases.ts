import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Frame } from '../../adapters/contract.ts'
import type { Dialect } from '../../adapters/dialect.ts'
import type { Json } from '../../src/json/json.ts'
import { framesIn } from '../line-reader.ts'

/**
 * A case is a folder: what a caller of each dialect asks and what an upstream of each answers, written by hand,
 * beside what becomes of them.
 *
 *     <dialect>.input.request.json
 *     <dialect>.input.reply.json, or .reply.sse, or .reply.<status>.json for an error
 *     models.json: the model of each upstream, where its name decides
 */
const FOLDER = 'fixtures/golden'

export const CASES: readonly string[] = readdirSync(FOLDER).toSorted()

/** How an upstream answers: with a reply, an error, or a stream that breaks. */
export type Answer = { text: string } | { status: number; error: Json } | { frames: Frame[] }

const INPUT = /\.input\.reply\.(?:(\d{3})\.)?(json|sse)$/

const compact = (path: string): string => JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))

export function requestIn(name: string, dialect: Dialect): string {
  const path = `${FOLDER}/${name}/${dialect}.input.request.json`
  if (!existsSync(path)) throw new Error(`${path}: write what a caller asks`)
  return compact(path)
}

/** The upstream's model; one of which nothing is known, unless the case is about what a model takes. */
export function modelIn(name: string, dialect: Dialect): string {
  const path = `${FOLDER}/${name}/models.json`
  if (!existsSync(path)) return 'model-1'
  const models: Partial<Record<Dialect, string>> = JSON.parse(readFileSync(path, 'utf8'))
  return models[dialect] ?? 'model-1'
}

export function answerIn(name: string, dialect: Dialect): Answer {
  const files = readdirSync(`${FOLDER}/${name}`)
  const file = files.find((each) => each.startsWith(`${dialect}.`) && INPUT.test(each))
  if (file === undefined)
    throw new Error(`${FOLDER}/${name}/${dialect}.input.reply.json: write what an upstream answers`)
  const path = `${FOLDER}/${name}/${file}`
  const [, status, form] = INPUT.exec(file) ?? []
  if (form === 'sse') return { frames: framesIn(readFileSync(path, 'utf8')) }
  const text = compact(path)
  return status === undefined ? { text } : { status: Number(status), error: JSON.parse(text) }
}
