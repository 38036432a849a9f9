import type { Adapter } from '../../adapters/contract.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import { readBodyText, writeReply } from '../laws/exchange.ts'
import { valueAt, type Path } from '../laws/mutate.ts'
import { REPLY_NO_OPS } from './noops-replies.ts'
import { plainName, type Outcome, type Translate } from './reported.ts'
import { search, type Probe } from './silent.ts'

/** Changes a whole reply bit by bit and looks whether its caller notices. */
export const probeReply = (
  caller: Adapter,
  upstream: Adapter,
  request: Request,
  body: Json,
  most: number,
): Probe | undefined =>
  isObject(body)
    ? search(
        {
          translate: translation(caller, upstream, request),
          pair: { caller: upstream.dialect, upstream: caller.dialect, noOps: REPLY_NO_OPS },
          isReported,
        },
        body,
        most,
      )
    : undefined

function translation(caller: Adapter, upstream: Adapter, request: Request): Translate {
  return (body) => {
    const read = readBodyText(upstream, request, JSON.stringify(body))
    const { body: text, losses } = writeReply(caller, request, read.events)
    if (text === undefined) return undefined
    const all = [...read.losses, ...losses].map(({ code, path }) => `${code} ${path}`)
    return { text, losses: new Set(all) }
  }
}

/** What a report calls something for which dialects have words of their own. */
const REPLY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:annotations|citation|grounding)/, 'citations'],
  [/^(?:finishreason|stopreason|incompletedetails)$/, 'finish'],
  [/^usagemetadata$/, 'usage'],
  [/^(?:finishmessage|stopdetails|explanation)$/, 'refusal'],
  [/^cachewritetokens$/, 'cachewrite'],
  [/^(?:inlinedata|filedata|imagegenerationcall)$/, 'media'],
  [/^(?:websearch(?:call|toolresult|queries)|servertooluse|groundingchunks)$/, 'search'],
  [/^(?:executablecode|(?:[a-z]*codeexecution[a-z]*)|codeinterpretercall|servertooluse)$/, 'code'],
  [/^(?:functioncall|customtoolcall|tooluse)$/, 'toolcall'],
  [/^arguments$/, 'input'],
  [/^logprobsresult$/, 'logprobs'],
  [/^(?:websearchrequests|numsearchqueries|numrequests)$/, 'searches'],
  [/^confidencescores$/, 'confidencescore'],
  [/^citedtext$/, 'quote'],
  [/^(?:thoughtsignature|encryptedcontent)$/, 'seal'],
  [/^(?:mcptooluse|mcptoolresult)$/, 'mcpcall'],
  [/^(?:mcptoollisting|mcplisttools)$/, 'mcplisting'],
  [/^caller$/, 'call'],
  [/^(?:servertooluse|toolsearchcall)$/, 'toolsearch'],
  [/^(?:toolsearchtoolresult|toolsearchoutput)$/, 'toolchange'],
]

/** Some report names the member, or something that it is part of. */
function isReported(
  _translate: Translate,
  body: JsonObject,
  { losses }: Outcome,
  path: Path,
): boolean {
  const said = new Set([...losses].map((loss) => plainName(loss.split('.').at(-1) ?? '')))
  return path.some((_, index) =>
    namesOf(body, path.slice(0, index + 1)).some((name) => said.has(name)),
  )
}

/** A member is known by its name; an element of a list by its type, or by the member that tells it. */
function namesOf(body: JsonObject, path: Path): string[] {
  const key = path.at(-1)
  const value = valueAt(body, path)
  const type = isObject(value) ? value['type'] : undefined
  const members = isObject(value) && typeof key === 'number' ? Object.keys(value) : []
  const own = members.filter((name) => isObject(valueAt(body, [...path, name])))
  const isOther = typeof key === 'number' && key > 0 && path.at(-2) === 'choices'
  const names = [key, type, ...own, ...(isOther ? ['candidates'] : [])]
    .filter((name) => typeof name === 'string')
    .map(plainName)
  const words = REPLY_WORDS.filter(([pattern]) => names.some((name) => pattern.test(name)))
  return [...names, ...words.map(([, word]) => word)]
}
