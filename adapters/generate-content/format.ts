import { parseObject, stringify, toText, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { Format, Request } from '../../src/model/request.ts'
import { narrow, widen } from '../../src/schema/narrow.ts'
import { inWords } from '../../src/model/text-tools.ts'
import type { ModelFacts } from '../contract.ts'
import { leftovers, note, own } from './dialect.ts'
import type { WireGenerationConfig } from './wire.ts'

const JSON_TYPE = 'application/json'

/** The wanted form of the answer, and members that say something else than a form that all dialects know. */
export function readFormat(config: WireGenerationConfig): { format?: Format; rest: object } {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  const schema = responseJsonSchema ?? responseSchema
  if (responseMimeType !== undefined && responseMimeType !== JSON_TYPE)
    return {
      rest: {
        ...(responseMimeType !== 'text/plain' && { responseMimeType }),
        responseSchema,
        responseJsonSchema,
      },
    }
  if (schema === undefined)
    return responseMimeType === undefined ? { rest: {} } : { format: { type: 'json' }, rest: {} }
  const noted = {
    ...(responseSchema !== undefined && { '#responseSchema': responseSchema }),
    ...(responseJsonSchema !== undefined && { '#responseJsonSchema': responseJsonSchema }),
  }
  const format = { type: 'json-schema' as const, schema: widen(toText(schema)) }
  return { format: { ...format, ...leftovers(noted) }, rest: {} }
}

/** Inverse of `readFormat`, for `generationConfig`. */
export function writeFormat(request: Request, facts: ModelFacts, lose: Lose): JsonObject {
  const { format } = request
  if (!format || format.type === 'text') return {}
  if (isRefused(request, facts)) return lose('approximated', 'format', 'as an instruction') ?? {}
  if (format.type === 'json') return { responseMimeType: JSON_TYPE }
  const raw = note(format.ext, 'responseSchema')
  const rawJsonSchema = note(format.ext, 'responseJsonSchema')
  if (raw !== undefined || rawJsonSchema !== undefined)
    return {
      responseMimeType: JSON_TYPE,
      ...(raw !== undefined && { responseSchema: raw }),
      ...(rawJsonSchema !== undefined && { responseJsonSchema: rawJsonSchema }),
    }
  const { schema, lost } = narrow(named(format, lose))
  if (lost.length > 0) lose('approximated', 'format.schema', lost.join(', '))
  return { responseMimeType: JSON_TYPE, responseSchema: schema }
}

type SchemaFormat = Extract<Format, { type: 'json-schema' }>

/** The format's own name and description are not the schema's, but tell the model the same. */
function named(format: SchemaFormat, lose: Lose): string {
  const { name, description, schema } = format
  const root = parseObject(schema)
  if (!root || (name === undefined && description === undefined)) return schema
  if (name !== undefined && root['title'] !== undefined) lose('dropped', 'format.name')
  const words = [description, root['description']].filter((text) => typeof text === 'string')
  const text = [...new Set(words)].join(' ')
  return stringify({
    ...(name !== undefined && { title: name }),
    ...root,
    ...(text !== '' && { description: text }),
  })
}

/** Before models that think by levels, tools and a JSON answer exclude each other. */
function isRefused(request: Request, facts: ModelFacts): boolean {
  const { format, tools } = request
  const isOwn = format?.type === 'json-schema' && Object.keys(own(format.ext)).length > 0
  return tools.length > 0 && facts.thinking !== 'level' && !isOwn
}

/** What the system instruction says where the format itself would be refused. */
export function formatInstruction(request: Request, facts: ModelFacts): string | undefined {
  const { format } = request
  if (!format || format.type === 'text' || !isRefused(request, facts)) return undefined
  return inWords(format)
}
