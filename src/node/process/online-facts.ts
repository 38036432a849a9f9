import type { ModelFact } from '../../../adapters/contract.ts'
import { MODEL_READERS } from '../../../adapters/index.ts'
import type { UpstreamSettings } from '../../config/settings.ts'
import type { JsonObject } from '../../json/json.ts'
import { see } from '../../models/see.ts'
import { stageOf } from '../../models/stages.ts'
import { factsIn } from '../command/models.ts'

/** Whether its service tells facts about a model. */
export const tellsFacts = ({ dialect }: UpstreamSettings): boolean => MODEL_READERS.has(dialect)

/** A sentence for each fact of a model about which the service disagrees with the configuration or the table. */
export function differences(
  upstream: UpstreamSettings,
  model: string,
  body: JsonObject,
  day: string,
): string[] {
  const said = factsIn(upstream, model) ?? {}
  const { how, model: like, facts, service } = see(said.is ?? model, upstream.service, day)
  const { ends } = how === 'model' && service === undefined ? facts : {}
  const assumed: Readonly<Record<string, unknown>> = {
    // Every model of this dialect's service takes as much, as far as nothing else is known.
    maxTemperature: facts.temperature ?? MOST_TEMPERATURE,
    lifecycle: stageOf(ends, Date.parse(day)),
    ...facts,
    ends,
    ...said,
  }
  const table = how === 'family' ? `the table, which takes it for ${like},` : 'the table of models'
  return (MODEL_READERS.get(upstream.dialect)?.(body) ?? []).flatMap(({ fact, member, value }) => {
    const ours = Array.isArray(assumed[fact]) ? assumed[fact].filter(isTold) : assumed[fact]
    // Of an unknown model the table says nothing that could be wrong.
    if (isSame(ours, value) || (how === 'unknown' && !(fact in said))) return []
    const who = fact in said ? 'the configuration' : table
    return `${model}: ${fact}: ${who} says ${shown(ours)}, the service ${shown(value)} (${member})`
  })
}

const MOST_TEMPERATURE = 2

/** The service that lists efforts has other words for none. */
const isTold = (effort: unknown): boolean => effort !== 'none' && effort !== 'minimal'

/** Generate-content says only whether there is thinking. A fact that is not there is taken for false. */
function isSame(ours: unknown, theirs: ModelFact['value']): boolean {
  if (typeof theirs === 'boolean' && typeof ours === 'string' && ours !== 'between_tools')
    return (ours !== 'none') === theirs
  return shown(ours || []) === shown(theirs || [])
}

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.join('/') || 'none'
  return value === undefined ? 'nothing' : String(value)
}
