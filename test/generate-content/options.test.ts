import { describe, expect, it } from 'vitest'
import { translator } from '../../src/named-translator.ts'
import type { ReasoningOptions, Request, Tool } from '../../src/model/request.ts'
import { read, send } from './help.ts'
import { restOf } from '../../adapters/generate-content/dialect.ts'

const contents = [{ parts: [{ text: 'Hello' }] }]
const thinking = (reasoning: ReasoningOptions, facts = {}) => {
  const { body, losses } = send({ reasoning }, facts)
  return [body.generationConfig?.thinkingConfig, losses]
}

describe('thinking', () => {
  it.each<[ReasoningOptions, object | undefined, string[]]>([
    [{ mode: 'off' }, { thinkingBudget: 0 }, []],
    [{ mode: 'on', effort: 'none' }, { thinkingBudget: 0 }, []],
    [{ mode: 'off', effort: 'high' }, { thinkingBudget: 0 }, ['dropped reasoning.effort']],
    [
      { mode: 'on', budget: 4096, visible: true },
      { includeThoughts: true, thinkingBudget: 4096 },
      [],
    ],
    [{ mode: 'on', budget: 60_000 }, { thinkingBudget: 24_576 }, ['approximated reasoning.budget']],
    [{ mode: 'on', budget: 1500.5 }, { thinkingBudget: 1500 }, ['approximated reasoning.budget']],
    [
      { mode: 'on', effort: 'minimal' },
      { thinkingBudget: 1024 },
      ['approximated reasoning.effort'],
    ],
    [{ mode: 'on', effort: 'low' }, { thinkingBudget: 2048 }, ['approximated reasoning.effort']],
    [{ mode: 'on', effort: 'medium' }, { thinkingBudget: 8192 }, ['approximated reasoning.effort']],
    [{ mode: 'on', effort: 'high' }, { thinkingBudget: 16_384 }, ['approximated reasoning.effort']],
    [{ mode: 'on', effort: 'max' }, { thinkingBudget: 24_576 }, ['approximated reasoning.effort']],
    [{ mode: 'adaptive' }, { thinkingBudget: -1 }, []],
    [{ mode: 'on', visible: true }, { includeThoughts: true }, []],
    [{ mode: 'on' }, undefined, []],
    [
      { mode: 'on', budget: 10, detail: 'concise' },
      { thinkingBudget: 10 },
      ['dropped reasoning.detail'],
    ],
  ])('by budget: %j', (reasoning, config, losses) => {
    expect(thinking(reasoning)).toEqual([config, losses])
  })

  it.each<[ReasoningOptions, object | undefined, string[]]>([
    [{ mode: 'off' }, { thinkingLevel: 'MINIMAL' }, ['approximated reasoning.mode']],
    [{ mode: 'on', effort: 'minimal' }, { thinkingLevel: 'MINIMAL' }, []],
    [{ mode: 'on', effort: 'low' }, { thinkingLevel: 'LOW' }, []],
    [{ mode: 'on', effort: 'medium' }, { thinkingLevel: 'MEDIUM' }, []],
    [{ mode: 'on', effort: 'high' }, { thinkingLevel: 'HIGH' }, []],
    [{ mode: 'on', effort: 'xhigh' }, { thinkingLevel: 'HIGH' }, ['approximated reasoning.effort']],
    [
      { mode: 'on', budget: 10_000 },
      { thinkingLevel: 'MEDIUM' },
      ['approximated reasoning.budget'],
    ],
    [{ mode: 'on', budget: 10 }, { thinkingLevel: 'MINIMAL' }, ['approximated reasoning.budget']],
    [{ mode: 'adaptive' }, undefined, []],
  ])('by level: %j', (reasoning, config, losses) => {
    expect(thinking(reasoning, { thinking: 'level' })).toEqual([config, losses])
  })

  it.each([
    [{ thinkingBudget: 0 }, { mode: 'off' }],
    [{ thinkingBudget: -1 }, { mode: 'adaptive' }],
    [
      { thinkingBudget: 512, includeThoughts: true },
      { mode: 'on', budget: 512, visible: true },
    ],
    [{ thinkingLevel: 'HIGH' }, { mode: 'on', effort: 'high' }],
    [{ thinkingLevel: 'XHIGH' }, { mode: 'on', effort: 'xhigh' }],
    [{ thinkingLevel: 'low' }, { mode: 'on', effort: 'low' }],
    [{ includeThoughts: false }, undefined],
    [{}, undefined],
  ])('reads %j', (thinkingConfig, expected) => {
    const { reasoning } = read({ contents, generationConfig: { thinkingConfig } })
    if (expected) expect(reasoning).toMatchObject(expected)
    else expect(reasoning).toBeUndefined()
  })
})

describe('sampling and bounds', () => {
  it('come and go under the same names', () => {
    const generationConfig = {
      temperature: 0,
      topP: 0.9,
      topK: 40,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      candidateCount: 2,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      responseLogprobs: true,
      logprobs: 3,
    }
    const asked = read({ contents, generationConfig })
    expect(asked.sampling).toEqual({
      temperature: 0,
      topP: 0.9,
      topK: 40,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      candidateCount: 2,
      logprobs: 3,
    })
    const { sampling, limits, origin } = asked
    expect(send({ sampling, limits, ...(origin && { origin }) }).body.generationConfig).toEqual(
      generationConfig,
    )
  })

  it.each([
    [-2_147_483_648, -2_147_483_648, []],
    [2_147_483_648, -2_147_483_648, ['approximated sampling.seed']],
    [1_795_397_786_123, 101_456_395, ['approximated sampling.seed']],
    [2 ** 63, 0, ['approximated sampling.seed']],
  ])('have a seed of 32 bits: %d', (seed, sent, said) => {
    const { body, losses } = send({ sampling: { seed } })
    expect([body.generationConfig, losses]).toEqual([{ seed: sent }, said])
  })

  it('ask for probabilities for a caller of another dialect', () => {
    const { body, losses } = send({ sampling: { logprobs: 3 } })
    expect(body.generationConfig).toEqual({ responseLogprobs: true, logprobs: 3 })
    expect(losses).toEqual([])
  })

  it('keep to what the configuration knows of the model', () => {
    const fields = {
      sampling: { temperature: 1, topP: 0.5 },
      limits: { maxOutputTokens: 32_000, stop: ['1', '2', '3', '4', '5', '6'] },
    }
    const { body, losses } = send(fields, { maxOutputTokens: 16_384, drop: ['temperature'] })
    expect(body.generationConfig).toEqual({
      topP: 0.5,
      maxOutputTokens: 16_384,
      stopSequences: ['1', '2', '3', '4', '5'],
    })
    expect(losses).toEqual([
      'approximated limits.maxOutputTokens',
      'approximated limits.stop',
      'dropped sampling.temperature',
    ])
  })
})

const format = (generationConfig: object) => read({ contents, generationConfig }).format

describe('the form of the answer', () => {
  const schema =
    '{"$schema":"x","type":"object","properties":{"a":{"type":"string"}},"required":["a"]}'

  it('is a Schema upstream', () => {
    const { body, losses } = send({
      format: { type: 'json-schema', schema, name: 'answer', description: 'The answer.' },
    })
    expect(body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseSchema: {
        type: 'OBJECT',
        description: 'answer: The answer.',
        properties: { a: { type: 'STRING' } },
        required: ['a'],
      },
    })
    expect(losses).toEqual([])
    expect(send({ format: { type: 'json' } }).body.generationConfig).toEqual({
      responseMimeType: 'application/json',
    })
    expect(send({ format: { type: 'text' } }).body).not.toHaveProperty('generationConfig')
  })

  it('is an instruction beside tools, where a model would refuse both', () => {
    const fields: Partial<Request> = {
      format: { type: 'json-schema', schema },
      tools: [{ kind: 'function', name: 'f' }],
    }
    const { body, losses } = send(fields)
    expect(body).not.toHaveProperty('generationConfig')
    expect(body.systemInstruction.parts[0].text).toContain(schema)
    expect(losses).toEqual(['approximated format'])
    expect(send(fields, { thinking: 'level' }).body.generationConfig).toHaveProperty(
      'responseSchema',
    )
  })

  it('is read from either member, and from neither when it is not JSON', () => {
    const responseMimeType = 'application/json'
    expect(format({ responseMimeType })).toEqual({ type: 'json' })
    expect(format({ responseMimeType, responseSchema: { type: 'STRING' } })).toMatchObject({
      type: 'json-schema',
      schema: '{"type":"string"}',
    })
    expect(format({ responseMimeType, responseJsonSchema: { type: 'STRING' } })).toMatchObject({
      schema: '{"type":"string"}',
    })
    expect(format({ responseMimeType: 'text/plain' })).toBeUndefined()
    const responseSchema = { type: 'STRING', enum: ['a', 'b'] }
    expect(format({ responseMimeType: 'text/x.enum', responseSchema })).toMatchObject({
      type: 'choice',
      among: ['a', 'b'],
    })
    expect(format({ responseMimeType: 'text/x.enum' })).toBeUndefined()
  })
})

describe('tools', () => {
  const search: Tool = {
    kind: 'hosted',
    capability: 'web-search',
    allowedDomains: ['example.com'],
    maxUses: 3,
  }
  const tool: Tool = { kind: 'function', name: 'f', schema: '{"type":"object","properties":{}}' }

  it('has no parameters for a tool without any', () => {
    expect(send({ tools: [tool] }).body.tools).toEqual([{ functionDeclarations: [{ name: 'f' }] }])
  })

  it('keeps functions and drops built-in tools beside them', () => {
    const { body, losses } = send({ tools: [tool, search] })
    expect(body.tools).toHaveLength(1)
    expect(losses).toEqual(['dropped tools.web-search'])
  })

  it('switches on what the service runs itself', () => {
    const hosted = (
      ['web-search', 'web-fetch', 'code-execution', 'file-search', 'computer'] as const
    ).map((capability) => ({ kind: 'hosted' as const, capability }))
    const { body, losses } = send({ tools: hosted })
    expect(body.tools).toEqual([{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }])
    expect(losses).toEqual(['dropped tools.file-search', 'dropped tools.computer'])
    expect(send({ tools: [search] }).losses).toEqual([
      'dropped tools.web-search.allowedDomains',
      'dropped tools.web-search.maxUses',
    ])
    expect(send({ tools: hosted, toolChoice: { mode: 'none' } }).body).not.toHaveProperty('tools')
  })

  it('makes a function of a free-form tool and tells the model its grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' }
    const { body, losses } = send({
      tools: [{ kind: 'text', name: 'patch', description: 'Patches.', format }],
    })
    const [declared] = body.tools[0].functionDeclarations
    expect(declared.parameters).toMatchObject({ type: 'OBJECT', required: ['input'] })
    expect(declared.description).toContain('lark grammar:\nstart: /.+/')
    expect(losses).toEqual(['approximated tools.patch.format'])
  })

  it('says which constraints of a schema no longer bind', () => {
    const schema =
      '{"type":"object","properties":{"a":{"type":"string","pattern":"^a"}},"additionalProperties":false}'
    expect(send({ tools: [{ kind: 'function', name: 'f', schema, strict: true }] }).losses).toEqual(
      ['dropped tools.f.strict', 'approximated tools.f.schema'],
    )
  })

  const two: Tool[] = [
    { kind: 'function', name: 'a' },
    { kind: 'function', name: 'b', namespace: 'ns' },
  ]
  it.each<[Request['toolChoice'], object | undefined, string[]]>([
    [undefined, undefined, []],
    [{ mode: 'auto' }, { mode: 'AUTO' }, []],
    [{ mode: 'none' }, { mode: 'NONE' }, []],
    [{ mode: 'required' }, { mode: 'ANY' }, []],
    [{ mode: 'required', names: ['b'] }, { mode: 'ANY', allowedFunctionNames: ['ns__b'] }, []],
    [{ mode: 'required', names: ['gone'] }, { mode: 'AUTO' }, ['dropped toolChoice.names']],
    [{ mode: 'auto', names: [] }, { mode: 'NONE' }, []],
  ])('writes the choice %j', (toolChoice, config, losses) => {
    const sent = send({ tools: two, ...(toolChoice && { toolChoice }) })
    expect(sent.body.toolConfig?.functionCallingConfig).toEqual(config)
    expect(sent.losses).toEqual(losses)
  })

  it('declares what the model may not choose now too, so that the prompt stays what it was', () => {
    const { body, losses } = send({ tools: two, toolChoice: { mode: 'auto', names: ['a'] } })
    expect(body.tools[0].functionDeclarations).toEqual([{ name: 'a' }, { name: 'ns__b' }])
    expect(losses).toEqual(['approximated toolChoice'])
  })

  it.each([
    ['AUTO', { mode: 'auto' }],
    ['any', { mode: 'required' }],
    ['NONE', { mode: 'none' }],
    [
      'VALIDATED',
      { mode: 'auto', origin: { dialect: 'generate-content', facts: { mode: 'VALIDATED' } } },
    ],
    ['MODE_UNSPECIFIED', undefined],
    // As numbers from libraries made from the protocol (google-generativeai 0.8.6 for Python over REST).
    [0, undefined],
    [1, { mode: 'auto' }],
    [2, { mode: 'required' }],
    [3, { mode: 'none' }],
    [4, { mode: 'auto', origin: { dialect: 'generate-content', facts: { mode: 'VALIDATED' } } }],
  ])('reads the mode %s', (mode, choice) => {
    expect(read({ contents, toolConfig: { functionCallingConfig: { mode } } }).toolChoice).toEqual(
      choice,
    )
  })

  it('keeps a mode that it does not know, and takes the number of texts alone as nothing to report', () => {
    const toolConfig = { functionCallingConfig: { mode: 9 } }
    expect(restOf(read({ contents, toolConfig }))).toEqual({
      'toolConfig.functionCallingConfig.mode': 9,
    })
    const generationConfig = { responseModalities: [1] }
    expect(restOf(read({ contents, generationConfig }))).toEqual({})
  })
})

describe('a choice among words', () => {
  const responseSchema = { type: 'STRING', description: 'The mood.', enum: ['glad', 'sad'] }
  const choice = { contents, generationConfig: { responseMimeType: 'text/x.enum', responseSchema } }

  it.each(['messages', 'responses', 'chat-completions'] as const)(
    'is asked for in words over %s',
    (to) => {
      const between = translator({ from: 'generate-content', to, model: 'm' })
      const { text, losses } = between.request(choice)
      expect(text).toContain('give one of these (The mood.) and nothing else:\\nglad\\nsad')
      expect(text).not.toContain('json_schema')
      expect(losses.map(({ code, path }) => `${code} ${path}`)).toContain('approximated format')
    },
  )
})
