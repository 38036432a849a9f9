import { expect, it } from 'vitest'
import { lossesOf, PAIRS, sent } from './translate.ts'

const FOREIGN = PAIRS.filter(([from]) => from === 'generate-content')
const asked = (fileData: object) => ({ contents: [{ parts: [{ text: 'q' }, { fileData }] }] })

it.each(FOREIGN)('from %s to %s no place is sent that the other cannot reach', (...pair) => {
  for (const fileData of [
    { fileUri: 'https://www.youtube.com/watch?v=x' },
    { fileUri: 'https://youtu.be/x', mimeType: 'video/mp4' },
    { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' },
    { fileUri: 'gs://bucket/a.png', mimeType: 'image/png' },
  ]) {
    const { text, losses } = sent(pair, asked(fileData))
    const words = `${fileData.mimeType ?? 'video/*'} ${fileData.fileUri} left out]`
    expect(text, words).toContain(`"text":"[${words}"`)
    expect(losses).toContainEqual(
      expect.objectContaining({ code: 'dropped', path: 'turns.0.blocks.1' }),
    )
  }
})

it('sends images of the kinds that are taken, and says which one is left out', () => {
  const kinds = ['image/png', 'image/jpg', 'image/gif', 'image/webp', 'image/heic']
  const { text, losses } = sent(['generate-content', 'responses'], {
    contents: [{ parts: kinds.map((mimeType) => ({ inlineData: { mimeType, data: 'AAAA' } })) }],
  })
  const { content } = JSON.parse(text).input[0]
  expect(content.map(({ type }: { type: string }) => type)).toEqual([
    ...Array.from({ length: 4 }, () => 'input_image'),
    'input_text',
  ])
  expect(content[4].text).toBe('[image/heic left out]')
  expect(losses).toEqual([{ code: 'dropped', path: 'turns.0.blocks.4' }])
})

it('names a place that is not safe to a messages upstream, which fetches from no such place', () => {
  const content = [{ type: 'input_image', image_url: 'http://a.example/a.png' }]
  const request = sent(['responses', 'messages'], { input: [{ role: 'user', content }] })
  const words = '[image/png http://a.example/a.png left out]'
  expect(JSON.parse(request.text).messages[0].content).toBe(words)
  expect(lossesOf(request)).toContain('dropped turns.0.blocks.0')
})

it('takes a file of which only the address is known for a document', () => {
  const content = [{ type: 'input_file', file_url: 'https://a.example/a' }]
  const { text } = sent(['responses', 'messages'], { input: [{ role: 'user', content }] })
  expect(JSON.parse(text).messages[0].content).toEqual([
    { type: 'document', source: { type: 'url', url: 'https://a.example/a' } },
  ])
})

it('sends a document by its address without the name, which is refused beside it', () => {
  const source = { type: 'url', url: 'https://a.example/a.pdf' }
  const document = { type: 'document', source, title: 'A' }
  const request = sent(['messages', 'responses'], {
    messages: [{ role: 'user', content: [document, { type: 'text', text: 'q' }] }],
  })
  const [message] = JSON.parse(request.text).input
  expect(message.content[0]).toEqual({ type: 'input_file', file_url: source.url })
  expect(lossesOf(request)).toEqual(['dropped turns.0.blocks.0.name'])
})

it('declares functions with schemas that are taken', () => {
  const bare = { type: 'object' }
  const listed = { ...bare, properties: { a: { type: 'array' } } }
  const { text, losses } = sent(['messages', 'responses'], {
    messages: [{ role: 'user', content: 'q' }],
    tools: [
      { name: 'a', input_schema: bare },
      { name: 'b', input_schema: listed },
    ],
  })
  const { tools } = JSON.parse(text)
  expect(tools[0].parameters).toEqual({ ...bare, properties: {} })
  expect(tools[1].parameters).toEqual({
    ...bare,
    properties: { a: { type: 'array', items: {} } },
  })
  expect(losses).toEqual([])
})
