import { expect, it } from 'vitest'
import { cpuMs } from '../growth/cpu.ts'
import { encodeBase64 } from '../../src/json/base64.ts'
import { close } from '../../src/schema/close.ts'
import { writeEnvelope, fingerprint } from '../../src/model/proof.ts'
import { translator } from '../../src/named-translator.ts'
import { lossesOf, sent } from './translate.ts'

it.each(['claude-code-20250219', 'other-2025'])(
  'brings both proofs of two texts to the caller, or says that it does not: %s',
  (beta) => {
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': beta }
    const both = translator({ from: 'messages', to: 'generate-content', headers })
    both.request({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
    const { body } = both.reply({
      candidates: [
        {
          content: {
            parts: [
              { text: 'a', thoughtSignature: 'QQ==' },
              { text: '', thoughtSignature: 'Qg==' },
              { functionCall: { name: 'f', args: {} } },
            ],
          },
          finishReason: 'STOP',
        },
      ],
    })
    const text = JSON.stringify(body)
    expect(text).toContain('QQ==')
    expect(text).toContain('Qg==')
  },
)

/** A thought without its proof, and a call that repeats the thought with it. */
function repeated(index: number): object[] {
  const text = `thought ${index}`
  const carried = writeEnvelope({ dialect: 'messages', value: `proof ${index}` }, 'previous')
  const thoughtSignature = encodeBase64(`${carried}\u00001.${fingerprint(text)}.${text}`)
  return [
    { text, thought: true },
    { functionCall: { name: 'f', args: {} }, thoughtSignature },
  ]
}

const measure = (count: number) => {
  const parts = Array.from({ length: count }, (_, index) => repeated(index)).flat()
  const contents = [
    { role: 'user', parts: [{ text: 'q' }] },
    { role: 'model', parts },
    { role: 'user', parts: [{ text: 'go' }] },
  ]
  const start = cpuMs()
  const { text } = sent(['generate-content', 'messages'], { contents })
  expect(text).toContain(`"signature":"proof ${count - 1}"`)
  return cpuMs() - start
}

it('takes as long for repeated thoughts as there are of them', () => {
  measure(500)
  // Sixteen times as much would take 256 times as long.
  expect(measure(16_000) / measure(1000)).toBeLessThan(80)
})

it('knows kinds of media in capitals, too', () => {
  const picture = sent(['generate-content', 'responses'], {
    contents: [{ parts: [{ inlineData: { mimeType: 'image/PNG', data: 'AAAA' } }] }],
  })
  expect(picture.text).toContain('"type":"input_image"')
  const file = { type: 'input_file', filename: 'a', file_data: 'data:Application/PDF;base64,AAAA' }
  const document = sent(['responses', 'generate-content'], {
    input: [{ role: 'user', content: [file] }],
  })
  expect(document.text).toContain('"inlineData":')
  expect([...lossesOf(picture), ...lossesOf(document)].join()).not.toContain('source')
})

it('tells in words what it cannot put beside other alternatives', () => {
  const { schema, changed } = close(
    JSON.stringify({ anyOf: [{ type: 'string' }], oneOf: [{ const: 'only' }] }),
  )
  expect(changed).toEqual(['oneOf'])
  expect(JSON.parse(schema).anyOf).toEqual([{ type: 'string' }])
  expect(JSON.parse(schema).description).toContain('only')
})
