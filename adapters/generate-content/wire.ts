import {
  type Json,
  isObject,
  rewriteMembers,
  isNull,
  type JsonObject,
} from '../../src/json/json.ts'
import { withElements, withMembers } from '../../src/json/edit.ts'
import { field, namesFor, placesIn, fieldShapes } from '../../src/check/fields.ts'
import {
  lastingList,
  list,
  object,
  optional,
  record,
  shaped,
  type Shape,
  type TypeOf,
} from '../../src/check/shape.ts'
import { nothingLost } from '../../src/model/loss.ts'
import { rememberedEach } from '../../src/model/remembered.ts'
import { anything, filled, flag, number, oneOf, text, that } from '../../src/check/shape-values.ts'
import { verbatimPaths, wrappedIn } from '../../src/json/verbatim-paths.ts'

/** The shape of a request after `normalise`. Objects may have any other members, which are leftovers. */

/** A list, or its one element without brackets. An error names the element. */
function oneOrMany<T>(shape: Shape<T>, many: Shape<T[]> = list(shape)): Shape<T | T[]> {
  return (value) => (Array.isArray(value) ? many(value) : shape(value))
}

/** 64-bit integers may come as strings. */
const integer = that<number | string>(
  'an integer',
  (value) =>
    Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d{1,19}$/.test(value)),
)
const DECIMAL = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
/** Other numbers may come as strings too (proto3 JSON). */
function decimal(min?: number, max?: number): Shape<number | string> {
  const plain = number(min, max)
  return (value) => plain(typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value)
}
/** Enumerations may come as numbers. */
const enumerated = that<number | string>(
  'a string or an integer',
  (value) => typeof value === 'string' || Number.isSafeInteger(value),
)

const blob = object({ mimeType: text, data: text })
const fileData = object({ fileUri: filled, mimeType: optional(text) })
const media = object({ inlineData: optional(blob), fileData: optional(fileData) })

const part = object({
  text: optional(text),
  thought: optional(flag),
  thoughtSignature: optional(text),
  inlineData: optional(blob),
  fileData: optional(fileData),
  functionCall: optional(object({ id: optional(text), name: filled, args: optional(anything) })),
  functionResponse: optional(
    object({
      id: optional(text),
      name: text,
      response: optional(anything),
      parts: optional(list(media)),
    }),
  ),
  executableCode: optional(
    object({ id: optional(text), language: optional(enumerated), code: text }),
  ),
  codeExecutionResult: optional(
    object({ id: optional(text), outcome: optional(enumerated), output: optional(text) }),
  ),
})

const role = oneOf('user', 'model', 'function', 'tool', 'system', '')
const content = object({ role: optional(role), parts: optional(oneOrMany(part)) })
const contents = oneOrMany(content, lastingList(content))

const declaration = object({
  name: filled,
  description: optional(text),
  parameters: optional(anything),
  parametersJsonSchema: optional(anything),
})
const tool = object({ functionDeclarations: optional(oneOrMany(declaration)) })

const thinkingConfig = object({
  includeThoughts: optional(flag),
  thinkingBudget: optional(integer),
  thinkingLevel: optional(text),
})

/** The members of `generationConfig`. */
export const OPTIONS = {
  stopSequences: field('read drop', optional(list(text, 5)), 'limits.stop'),
  responseMimeType: field('read drop', optional(text), 'format'),
  responseSchema: field('read drop', optional(anything), 'format'),
  responseJsonSchema: field('read drop', optional(anything), 'format'),
  responseModalities: field('read drop', optional(list(anything))),
  candidateCount: field('read drop', optional(integer), 'sampling.candidateCount'),
  maxOutputTokens: field('read drop', optional(integer), 'limits.maxOutputTokens'),
  temperature: field('read drop', optional(decimal(0, 2)), 'sampling.temperature'),
  topP: field('read drop', optional(decimal()), 'sampling.topP'),
  topK: field('read drop', optional(decimal()), 'sampling.topK'),
  seed: field('read drop', optional(integer), 'sampling.seed'),
  presencePenalty: field('read drop', optional(decimal()), 'sampling.presencePenalty'),
  frequencyPenalty: field('read drop', optional(decimal()), 'sampling.frequencyPenalty'),
  responseLogprobs: field('read drop', optional(flag), 'sampling.logprobs'),
  logprobs: field('read drop', optional(integer), 'sampling.logprobs'),
  thinkingConfig: field('read drop', optional(thinkingConfig), 'reasoning'),
  responseFormat: field('drop'),
  mediaResolution: field('drop'),
  speechConfig: field('drop'),
  audioTimestamp: field('drop'),
  audioTranscriptionConfig: field('drop'),
  imageConfig: field('drop'),
  enableAffectiveDialog: field('drop'),
  enableEnhancedCivicAnswers: field('drop'),
  modelSelectionConfig: field('drop'),
  routingConfig: field('drop'),
  translationConfig: field('drop'),
}
const generationConfig = object(fieldShapes(OPTIONS))

const toolConfig = object({
  functionCallingConfig: optional(
    object({ mode: optional(enumerated), allowedFunctionNames: optional(list(text)) }),
  ),
})

/** The members of a request. The token counter takes all of them. */
export const FIELDS = {
  model: field('read'),
  systemInstruction: field('read', optional(content), 'system'),
  tools: field('read drop', optional(oneOrMany(tool))),
  toolConfig: field('read drop', optional(toolConfig), 'toolChoice'),
  generationConfig: field('read', optional(generationConfig)),
  labels: field('read drop', optional(record(text, text))),
  serviceTier: field('read drop', optional(text), 'tier'),
  safetySettings: field('drop'),
  cachedContent: field('drop bind'),
  modelArmorConfig: field('drop bind'),
  store: field('read drop', optional(flag)),
  continuationToken: field(''),
  // Checked last, because it is the longest.
  contents: field('read', optional(contents), 'turns'),
}

/** Members whose promise no service of another dialect can keep. */
export const MUST_KEEP = namesFor('bind', FIELDS)
export const placeOf = placesIn(FIELDS)
export const optionPlace = placesIn(OPTIONS, 'generationConfig.')

const members = fieldShapes(FIELDS)
const count = object(members)
const create = object({ ...members, contents })
const wrappedCount = object({ generateContentRequest: count })

export type WireMedia = TypeOf<typeof media>
export type WirePart = TypeOf<typeof part>
export type WireContent = TypeOf<typeof content>
export type WireTool = TypeOf<typeof tool>
export type WireDeclaration = TypeOf<typeof declaration>
export type WireToolConfig = TypeOf<typeof toolConfig>
export type WireGenerationConfig = TypeOf<typeof generationConfig>
export type WireThinkingConfig = TypeOf<typeof thinkingConfig>
export type WireRequest = TypeOf<typeof count>

export const checkCreate = (body: Json): WireRequest => shaped(create, body)
export const checkCount = (body: Json): WireRequest => shaped(count, body)
export const checkWrappedCount = (body: Json): WireRequest =>
  shaped(wrappedCount, body).generateContentRequest

/**
 * The levels of a request at which the service's types name the members. There callers write the names in
 * lowerCamelCase or in snake_case. Arguments, responses and schemas are no levels: their names are the caller's.
 */
interface Level {
  readonly [member: string]: Level
}
const LEAF: Level = {}
const leaves = (...lines: string[]): Level =>
  Object.fromEntries(lines.flatMap((line) => line.split(' ')).map((member) => [member, LEAF]))

const MEDIA: Level = {
  inlineData: leaves('mimeType data displayName'),
  fileData: leaves('mimeType fileUri displayName'),
}
const PART: Level = {
  ...MEDIA,
  ...leaves('text thought thoughtSignature videoMetadata mediaResolution partMetadata'),
  functionCall: leaves('id name args partialArgs willContinue'),
  functionResponse: { ...leaves('id name response willContinue scheduling'), parts: MEDIA },
  executableCode: leaves('id language code'),
  codeExecutionResult: leaves('id outcome output'),
  toolCall: leaves('id args toolType'),
  toolResponse: leaves('id response toolType'),
}
const CONTENT: Level = { role: LEAF, parts: PART }
const TOOL: Level = {
  functionDeclarations: leaves(
    'name description parameters parametersJsonSchema response responseJsonSchema behavior',
  ),
  ...leaves('codeExecution googleSearch googleSearchRetrieval urlContext googleMaps mcpServers'),
  ...leaves('computerUse enterpriseWebSearch retrieval'),
  fileSearch: leaves('fileSearchStoreNames metadataFilter topK'),
}
const GENERATION: Level = {
  ...leaves(...Object.keys(OPTIONS)),
  thinkingConfig: leaves('includeThoughts thinkingBudget thinkingLevel'),
}
const CREATE: Level = {
  ...leaves(...Object.keys(FIELDS)),
  contents: CONTENT,
  systemInstruction: CONTENT,
  tools: TOOL,
  toolConfig: {
    ...leaves('retrievalConfig includeServerSideToolInvocations'),
    functionCallingConfig: leaves('mode allowedFunctionNames streamFunctionCallArguments'),
  },
  generationConfig: GENERATION,
}
const REQUEST: Level = { ...CREATE, generateContentRequest: CREATE }

/**
 * Writes the names of a request in lowerCamelCase. A member that is null counts as absent, as everywhere in this
 * dialect.
 */
export const normalise = (body: Json): Json =>
  isSpelled(body, REQUEST) ? body : spell(body, REQUEST)

/** The same for one part of a reply. */
export const normalisePart = (part: JsonObject): JsonObject =>
  isSpelled(part, PART) ? part : spellMembers(part, PART)

/** Whether all names are in lowerCamelCase already, as in most bodies. Then nothing is copied. */
function isSpelled(value: Json, level: Level): boolean {
  if (level === CONTENT && Array.isArray(value)) return areSpelled(value)
  if (Array.isArray(value)) return value.every((item) => isSpelled(item, level))
  if (!isObject(value)) return true
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined || isNull(member)) return false
    const inner = findLevel(level, key)
    if (!inner && findLevel(level, camel(key))) return false
    if (inner && inner !== LEAF && !isSpelled(member, inner)) return false
  }
  return true
}

const findLevel = (level: Level, name: string): Level | undefined =>
  Object.hasOwn(level, name) ? level[name] : undefined

function spell(value: Json, level: Level): Json {
  if (level === LEAF) return value
  if (level === CONTENT && Array.isArray(value)) return spellContents(value)
  if (Array.isArray(value)) return value.map((item) => spell(item, level))
  return isObject(value) ? spellMembers(value, level) : value
}

const spellEach = rememberedEach<Json, Json>()

/** Contents that an earlier request of the session had stay the same objects. */
const spellContents = (contents: readonly Json[]): Json[] => [
  ...spellEach(
    contents,
    [],
    nothingLost,
    () => (content) => (isSpelled(content, CONTENT) ? content : spell(content, CONTENT)),
  ),
]

const lookEach = rememberedEach<Json, boolean>()

const areSpelled = (contents: readonly Json[]): boolean =>
  lookEach(contents, [], nothingLost, () => (content) => isSpelled(content, CONTENT)).every(Boolean)

function spellMembers(value: JsonObject, level: Level): JsonObject {
  return rewriteMembers(value, (key, member) =>
    isNull(member) ? undefined : spelled(key, member, level),
  )
}

function spelled(key: string, member: Json, level: Level): [string, Json] {
  const name = camel(key)
  const inner = findLevel(level, name)
  return inner ? [name, spell(member, inner)] : [key, member]
}

/** The name of a member in lowerCamelCase. */
export const camel = (key: string): string =>
  key.includes('_') ? key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : key

/** The paths for each way to write single objects in place of lists. */
const CONTENTS = ['contents.*', 'contents'].flatMap((content) => [
  `${content}.parts.*`,
  `${content}.parts`,
])
const TOOLS = ['tools.*', 'tools'].flatMap((tool) => [
  `${tool}.functionDeclarations|function_declarations.*`,
  `${tool}.functionDeclarations|function_declarations`,
])
const IN_CREATE = [
  ...CONTENTS.flatMap((part) => [
    `${part}.functionCall|function_call|toolCall|tool_call.args`,
    `${part}.functionResponse|function_response|toolResponse|tool_response.response`,
  ]),
  ...TOOLS.flatMap((declaration) => [
    `${declaration}.parameters|parametersJsonSchema|parameters_json_schema`,
    `${declaration}.response|responseJsonSchema|response_json_schema`,
  ]),
  'generationConfig|generation_config.responseSchema|response_schema|responseJsonSchema|response_json_schema',
]

/** The subtrees of a request that stay text. */
export const REQUEST_VERBATIM = wrappedIn(
  ['generateContentRequest', 'generate_content_request'],
  verbatimPaths(...IN_CREATE),
)

/** The subtrees of a reply that stay text; a reply may be a list of chunks. */
export const REPLY_VERBATIM = verbatimPaths(
  ...['', '*.'].flatMap((root) =>
    [
      'functionCall.args',
      'functionResponse.response',
      'toolCall.args',
      'toolResponse.response',
    ].map((path) => `${root}candidates.*.content.parts.*.${path}`),
  ),
)

/** The key of a member in a body, in either spelling. */
export const findKey = (value: JsonObject, name: string): string | undefined =>
  Object.keys(value).findLast((key) => camel(key) === name && value[key] !== null)

export function findMember(value: JsonObject, name: string): Json | undefined {
  const key = findKey(value, name)
  return key === undefined ? undefined : value[key]
}

export const findObject = (value: JsonObject, name: string): JsonObject => {
  const member = findMember(value, name)
  return isObject(member) ? member : {}
}

/** Edits a member that is an object, and removes it where it becomes empty. */
export function withinMember(
  value: JsonObject,
  name: string,
  editMember: (member: JsonObject) => JsonObject,
): JsonObject {
  const key = findKey(value, name)
  const member = key === undefined ? undefined : value[key]
  if (key === undefined || !isObject(member)) return value
  const edited = editMember(member)
  const isEmptied = edited !== member && Object.keys(edited).length === 0
  return withMembers(value, { [key]: isEmptied ? undefined : edited })
}

type EditElement = (element: JsonObject, index: number) => JsonObject | readonly JsonObject[]

/** Edits the elements of a list, which may be one element without brackets. */
export function withinList(value: JsonObject, name: string, editElement: EditElement): JsonObject {
  const key = findKey(value, name)
  const member = key === undefined ? undefined : value[key]
  if (key === undefined || !(Array.isArray(member) || isObject(member))) return value
  const list = Array.isArray(member) ? member : [member]
  const edited = withElements(list, (element, index) =>
    isObject(element) ? editElement(element, index) : element,
  )
  if (edited === list) return value
  const [only] = edited
  const isOne = !Array.isArray(member) && edited.length === 1 && only !== undefined
  return withMembers(value, { [key]: isOne ? only : edited })
}

/** The elements of a list, which may be one element without brackets. */
export function findElements(value: JsonObject, name: string): JsonObject[] {
  const member = findMember(value, name)
  return (Array.isArray(member) ? member : [member]).filter(isObject)
}
