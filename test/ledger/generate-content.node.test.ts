import { describe, expect, test } from 'vitest'
import { generateContent } from '../../adapters/generate-content/index.ts'
import type { Event } from '../../src/model/events.ts'
import type { Json } from '../../src/json/json.ts'
import type { Request } from '../../src/model/request.ts'
import {
  BLOCK_REASONS,
  CALLING_MODES,
  CONTENT_TOOLS,
  FINISH_REASONS,
  GENERATION_MEMBERS,
  PART_MEMBERS,
  THINKING_LEVELS,
} from './generate-content.ts'
import { replyContext, requestContext, withFate } from './probe.ts'

const CONTENTS = [{ role: 'user', parts: [{ text: 'Hi' }] }]

const read = (body: object): Request =>
  generateContent.caller.readRequest(
    { contents: CONTENTS, ...body } as Json,
    requestContext({ operation: 'create', model: 'm' }),
  )

const PARTS: Record<string, object> = {
  text: { text: 'a' },
  thought: { thought: true, text: 'a' },
  thoughtSignature: { thoughtSignature: 'YQ==', text: 'a' },
  inlineData: { inlineData: { mimeType: 'image/png', data: 'YQ==' } },
  fileData: { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } },
  functionCall: { functionCall: { name: 'f', args: {} } },
  functionResponse: { functionResponse: { name: 'f', response: {} } },
  executableCode: { executableCode: { language: 'PYTHON', code: '1' } },
  codeExecutionResult: { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
}
const readBlocks = (part: object) =>
  read({ contents: [...CONTENTS, { role: 'model', parts: [part] }] }).turns.flatMap(({ blocks }) =>
    blocks.slice(-1),
  )

const readFinish = (body: object): Event | undefined =>
  generateContent.upstream
    .reader(replyContext())
    .body({ usageMetadata: {}, modelVersion: 'm', ...body } as Json)
    .at(-1)

describe('the ledger of generate-content holds', () => {
  test.each(withFate(PART_MEMBERS, 'read'))('the part with %s is read', (member) => {
    const block = readBlocks(PARTS[member] ?? {}).at(-1)
    expect(block?.kind).not.toBe('opaque')
    expect(block && 'ext' in block ? block.ext?.['generate-content'] : {}).not.toHaveProperty(
      member,
    )
  })
  test.each(withFate(PART_MEMBERS, 'ext'))('the member %s is a leftover of its part', (member) => {
    const block = readBlocks({ text: 'a', [member]: { odd: 1 } }).at(-1)
    const ext = block && 'ext' in block ? block.ext : undefined
    expect(ext?.['generate-content']).toMatchObject({ [member]: { odd: 1 } })
  })
  test.each(withFate(PART_MEMBERS, 'opaque'))('the part with %s is kept whole', (member) => {
    expect(readBlocks({ [member]: { odd: 1 } }).at(-1)).toMatchObject({
      kind: 'opaque',
      value: { [member]: { odd: 1 } },
    })
  })
  test.each(withFate(GENERATION_MEMBERS, 'ext'))('%s is a leftover', (member) => {
    const value = member === 'responseModalities' ? ['AUDIO'] : { odd: 1 }
    const { ext } = read({ generationConfig: { [member]: value } })
    expect(JSON.stringify(ext)).toContain(`${member}":${JSON.stringify(value)}`)
  })
  test.each(withFate(CONTENT_TOOLS, 'opaque'))('the tool %s is kept whole', (member) => {
    const { tools } = read({ tools: [{ [member]: { odd: 1 } }] })
    expect(tools).toMatchObject([{ kind: 'opaque' }])
  })
  test.each(withFate(CONTENT_TOOLS, 'read'))('the tool %s is read', (member) => {
    const value = member === 'functionDeclarations' ? [{ name: 'f' }] : {}
    const { tools } = read({ tools: [{ [member]: value }] })
    expect(tools.map(({ kind }) => kind)).not.toContain('opaque')
    // A screen comes with a set of functions.
    if (member !== 'computerUse') expect(tools).toHaveLength(1)
  })
  test.each(withFate(FINISH_REASONS, 'read'))('the reason %s has a word', (finishReason) => {
    const content = { role: 'model', parts: [{ text: 'a' }] }
    const finish = readFinish({ candidates: [{ content, finishReason, index: 0 }] })
    expect(finish).toMatchObject({ type: 'finish' })
    if (finishReason !== 'OTHER') expect(finish).not.toMatchObject({ reason: 'other' })
  })
  test.each(Object.keys(BLOCK_REASONS))('a prompt blocked for %s is no success', (blockReason) => {
    expect(readFinish({ promptFeedback: { blockReason } })).not.toMatchObject({ reason: 'stop' })
  })
  test.each(Object.keys(CALLING_MODES))('the mode %s is understood', (mode) => {
    const request = read({
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { mode } },
    })
    expect(request.toolChoice?.mode ?? 'auto').toBe(
      mode === 'ANY' ? 'required' : mode === 'NONE' ? 'none' : 'auto',
    )
  })
  test.each(withFate(THINKING_LEVELS, 'read'))('the level %s is an effort', (thinkingLevel) => {
    const { reasoning } = read({ generationConfig: { thinkingConfig: { thinkingLevel } } })
    expect(reasoning?.effort).toBe(thinkingLevel.toLowerCase())
  })
})
