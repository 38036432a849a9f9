import fc from 'fast-check'
import type { Block, Request, Tool, ToolCallBlock, Turn } from '../../src/model/request.ts'
import { base64, filledText, objectText, toolName } from './arbitrary.ts'

const text = filledText.map((value): Block => ({ kind: 'text', text: value }))

const image = fc
  .record({ mediaType: fc.constantFrom('image/png', 'image/jpeg', 'image/webp'), data: base64 })
  .map(({ mediaType, data }): Block => ({ kind: 'media', mediaType, source: { data } }))
const document = base64.map((data): Block => ({
  kind: 'media',
  mediaType: 'application/pdf',
  source: { data },
  name: 'paper.pdf',
}))
const linked = fc.webUrl().map((url): Block => ({
  kind: 'media',
  mediaType: 'image/png',
  source: { url },
}))
const sound = base64.map((data): Block => ({
  kind: 'media',
  mediaType: 'audio/wav',
  source: { data },
}))

const userBlocks = fc.array(
  fc.oneof({ weight: 4, arbitrary: text }, image, document, linked, sound),
  { minLength: 1, maxLength: 3 },
)

interface Step {
  said: string[]
  calls: { name: string; input: string; result: Block[]; failed: boolean }[]
  next: Block[]
}

const step: fc.Arbitrary<Step> = fc.record({
  said: fc.array(filledText, { maxLength: 2 }),
  calls: fc.array(
    fc.record({
      name: toolName,
      input: objectText,
      result: fc.oneof(
        { weight: 4, arbitrary: text.map((block) => [block]) },
        fc.tuple(text, image).map((pair): Block[] => pair),
        fc.constant<Block[]>([]),
      ),
      failed: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  next: userBlocks,
})

/** One step of a conversation: what the model said and called, and what came back. */
function makeTurns({ said, calls, next }: Step, index: number): Turn[] {
  const made = calls.map((call, position): ToolCallBlock => ({
    kind: 'tool-call',
    id: `call_${index}_${position}`,
    name: call.name,
    form: 'json',
    input: call.input,
  }))
  const results = calls.map((call, position): Block => ({
    kind: 'tool-result',
    callId: `call_${index}_${position}`,
    name: call.name,
    form: 'json',
    content: call.result,
    ...(call.failed && { isError: true }),
  }))
  const texts = said.map((value): Block => ({ kind: 'text', text: value }))
  const spoken: Block[] = [...texts, ...made]
  if (spoken.length === 0) spoken.push({ kind: 'text', text: 'Well.' })
  return [
    { role: 'assistant', blocks: spoken },
    { role: 'user', blocks: [...results, ...(results.length === 0 ? next : [])] },
  ]
}

/** A conversation that ends with its user, after any number of steps. */
export const turns: fc.Arbitrary<Turn[]> = fc
  .tuple(userBlocks, fc.array(step, { maxLength: 3 }))
  .map(([first, steps]) => [{ role: 'user', blocks: first }, ...steps.flatMap(makeTurns)])

const schema = fc.constantFrom(
  '{"type":"object","properties":{"city":{"type":"string","description":"Where"}},"required":["city"]}',
  '{"type":"object","properties":{"unit":{"type":"string","enum":["c","f"]},"days":{"type":"integer"}}}',
  '{"type":"object","properties":{"places":{"type":"array","items":{"type":"string"}}}}',
  '{"type":"object","description":"One\u2028two\u2029three\u0085","properties":{"a":{"type":"string"}}}',
  '{"type":"object","properties":{"x":{"type":"number","minimum":0,"exclusiveMaximum":9}},"additionalProperties":false}',
  '{"type":"object","properties":{"tree":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}',
)

/** Every tool that the conversation calls is declared, and the two that a choice may name. */
function tools(schemas: string[], conversation: Turn[]): Tool[] {
  const called = conversation.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'tool-call' ? block.name : [])),
  )
  return [...new Set(['f', 'tool_2', ...called])].map((name, index) => ({
    kind: 'function',
    name,
    description: `Tool ${index}`,
    schema: schemas[index % schemas.length] ?? '{"type":"object","properties":{}}',
  }))
}

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const part = fc.double({ min: 0.01, max: 0.99, noNaN: true })

const options = fc.record({
  choice: some(
    fc.constantFrom<Request['toolChoice'] & object>(
      { mode: 'auto' },
      { mode: 'none' },
      { mode: 'required' },
      { mode: 'required', names: ['f'] },
      { mode: 'auto', names: ['f', 'tool_2'] },
    ),
  ),
  parallel: some(fc.boolean()),
  limits: fc.record(
    {
      maxOutputTokens: fc.integer({ min: 2048, max: 60_000 }),
      stop: fc.array(filledText, { minLength: 1, maxLength: 3 }),
    } satisfies Record<keyof Request['limits'], unknown>,
    { requiredKeys: [] },
  ),
  sampling: fc.record(
    {
      temperature: part,
      topP: part,
      topK: fc.integer({ min: 1, max: 100 }),
      seed: fc.nat(),
      presencePenalty: part,
      frequencyPenalty: part,
      candidateCount: fc.constantFrom(1, 2),
      logprobs: fc.constantFrom(1, 5),
      verbosity: fc.constantFrom('low', 'high'),
    } satisfies Record<keyof Request['sampling'], unknown>,
    { requiredKeys: [] },
  ),
  reasoning: some(
    fc.constantFrom<Request['reasoning'] & object>(
      { mode: 'off' },
      { mode: 'on', budget: 2000 },
      { mode: 'on', effort: 'high', visible: true },
      { mode: 'adaptive' },
    ),
  ),
  format: some(
    fc.constantFrom<Request['format'] & object>(
      { type: 'text' },
      { type: 'json' },
      {
        type: 'json-schema',
        name: 'answer',
        schema: '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}',
      },
    ),
  ),
  user: some(fc.constantFrom('u-1', 'c0ffee00-0000-4000-8000-000000000000', 'x'.repeat(150))),
  labels: some(fc.constant({ team: 'a', stage: 'b' })),
  tier: some(fc.constantFrom('auto', 'default', 'flex')),
  cacheKey: some(fc.constant('key-1')),
})

/** Any legal request, as it may come of any caller. */
export const anyRequest: fc.Arbitrary<Request> = fc
  .record({
    system: fc.array(text, { maxLength: 2 }),
    turns,
    schemas: fc.array(schema, { minLength: 1, maxLength: 3 }),
    options,
    stream: fc.boolean(),
  })
  .map(({ system, turns: list, schemas, options: chosen, stream }) => ({
    model: 'model-1',
    stream,
    system,
    turns: list,
    tools: tools(schemas, list),
    limits: chosen.limits,
    sampling: chosen.sampling,
    ...(chosen.choice && { toolChoice: chosen.choice }),
    ...(chosen.parallel !== undefined && { parallelToolCalls: chosen.parallel }),
    ...(chosen.reasoning && { reasoning: chosen.reasoning }),
    ...(chosen.format && { format: chosen.format }),
    ...(chosen.user !== undefined && { user: chosen.user }),
    ...(chosen.labels && { labels: chosen.labels }),
    ...(chosen.tier !== undefined && { tier: chosen.tier }),
    ...(chosen.cacheKey !== undefined && { cacheKey: chosen.cacheKey }),
  }))
