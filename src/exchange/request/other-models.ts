import type { Permit } from '../stages.ts'
import { isObject, parse, type Json } from '../../json/json.ts'
import type { ScannedBody } from '../../json/scanned-body.ts'
import { folded } from '../../json/structure.ts'
import { invalid, ProblemError } from '../../model/problem.ts'

export const noRoute = (model = ''): ProblemError =>
  new ProblemError({
    kind: 'not-found',
    message: `No route leads to the model '${model}'.`,
    code: 'model_not_found',
    param: 'model',
  })

/**
 * Refuses a body that names other models than the one by which its route was found, for a caller who may not use every
 * model: the service chooses among them, and may go on with another.
 */
export function refuseOtherModels({ mayUse }: Permit, scanned: ScannedBody): void {
  for (const name of scanned.members.keys()) {
    const text = scanned.memberText(name) ?? 'null'
    judge(name, text.startsWith('"') || text === 'null' ? parse(text) : true, mayUse)
    if (HOLDERS.has(plain(name)) && MAY_NAME.test(text)) judgeWithin(parse(text), mayUse)
  }
}

/** Each of a list, and its members: tools of a service ask models of their own (messages, the tool `advisor`). */
function judgeWithin(value: Json, mayUse: Permit['mayUse']): void {
  for (const each of Array.isArray(value) ? value : [value])
    if (isObject(each))
      for (const [name, member] of Object.entries(each)) judge(name, member, mayUse)
}

function judge(name: string, value: Json, mayUse: Permit['mayUse']): void {
  const same = plain(name)
  if (same === 'model') {
    const model = typeof value === 'string' ? value.replace(/^models\//, '') : ''
    if (typeof value === 'string' && !mayUse(model)) throw noRoute(model)
  } else if (value !== null && OTHERS.test(same)) throw furtherModels(name)
}

/** Without the signs in which dialects differ: `extra_body`, `extraBody`. */
const plain = (name: string): string => folded(name).replaceAll('_', '')

const HOLDERS: ReadonlySet<string> = new Set([
  'tools',
  'plugins',
  'extrabody',
  'generatecontentrequest',
])

/** A text without these letters, and without an escape that may stand for them, names none. */
const MAY_NAME = /model|fallback|route|preset|\\u|[^\0-\x7f]/i

/**
 * `models`, `route` and `preset` of OpenRouter, `fallbacks` of the messages dialect and of LiteLLM, which has them for
 * certain failures too (`context_window_fallbacks`), and `draft_model` of LM Studio.
 */
const OTHERS = /models?$|fallbacks?$|^(?:route|preset|modellist|routersettings)/

const PLAIN_NAME = /^[\w.-]{1,64}$/

function furtherModels(name: string): ProblemError {
  const what = PLAIN_NAME.test(name) ? `'${name}'` : 'A field'
  return invalid(
    `${what} names further models, and this key is for certain ones: leave it out.`,
    name,
  )
}
