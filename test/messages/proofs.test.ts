import { describe, expect, it } from 'vitest'
import { unfold, type Event } from '../../src/model/events.ts'
import { objectIn, objectsOf, parseObject, type JsonObject } from '../../src/json/json.ts'
import type { Block } from '../../src/model/request.ts'
import { writeEnvelope, type ProofSlot } from '../../src/model/proof.ts'
import { asking, assistant, call, read, request, say, text, user, write } from './help.ts'

const proof = { dialect: 'generate-content', value: 'c2lnbmF0dXJl+/=="\n' }
const HIDDEN: Block = { kind: 'reasoning', text: '' }
const proven = (block: Block): Block => Object.assign({ ...block }, { proof })

/** What the caller's next request says of a reply that it was given and sends back. */
function sentBack(blocks: Block[], change = (body: string) => body) {
  const reply = { id: 'r1', model: 'm', blocks, finish: 'stop' } as const
  const { body } = say(unfold(reply), thinks)
  return back(JSON.parse(change(JSON.stringify(body['content']))))
}

/** A caller that has asked for thoughts. */
const thinks = request({ reasoning: { mode: 'on', effort: 'high' } })

const back = (content: JsonObject[]) =>
  read(
    asking({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content },
        { role: 'user', content: 'b' },
      ],
    }),
  )

const envelope = (value: string, slot: ProofSlot) => ({
  type: 'thinking',
  thinking: slot === 'self' ? 'hm' : '',
  signature: writeEnvelope({ ...proof, value }, slot),
})

const inBase64 = (content: JsonObject[]): JsonObject[] =>
  content.map((one) =>
    one['type'] === 'thinking' ? { ...one, signature: btoa(String(one['signature'])) } : one,
  )

describe('a proof of another dialect', () => {
  it.each<[string, Block[]]>([
    ['on thoughts', [proven({ kind: 'reasoning', text: 'hm' }), text('a')]],
    ['without thoughts', [proven({ kind: 'reasoning', text: '', redacted: true }), text('a')]],
    ['on thoughts that were left out', [proven({ kind: 'reasoning', text: '' }), text('a')]],
    ['on a text', [text('a'), proven(text('b')), text('c')]],
    ['on an empty text', [text('a'), proven(text('')), text('c')]],
    ['on the first of two calls', [proven(call('t1')), call('t2')]],
    ['on the second of two calls', [call('t1'), proven(call('t2'))]],
    ['on a text, and none on thoughts', [{ kind: 'reasoning', text: 'hm' }, proven(text('a'))]],
    ['on everything', [proven(text('a')), proven(call('t1')), proven(call('t2'))]],
  ])('comes home to the block it belongs to: %s', (_, blocks) => {
    expect(sentBack(blocks).turns[1]?.blocks).toEqual(blocks)
  })

  it('comes home to its own text from a client that puts all proofs first', () => {
    const texts = ['a', 'b'].map((one) => ({ type: 'text', text: one }))
    const first = [envelope('A', 'previous'), envelope('T', 'self'), envelope('B', 'previous')]
    const { turns } = back([...first, ...texts])
    expect(turns[1]?.blocks).toMatchObject([
      { kind: 'reasoning', proof: { value: 'T' } },
      { text: 'a', proof: { value: 'A' } },
      { text: 'b', proof: { value: 'B' } },
    ])
  })

  it('comes home from a client that took it for bytes, and spelled them in base64', () => {
    const blocks = [proven({ kind: 'reasoning', text: 'hm' }), text('a'), proven(call('t1'))]
    const { turns } = sentBack(blocks, (body) => JSON.stringify(inBase64(JSON.parse(body))))
    expect(turns[1]?.blocks).toEqual(blocks)
  })

  it('known before its block comes before it', () => {
    const block = {
      kind: 'tool-call',
      id: 't1',
      name: 'look',
      form: 'json',
      input: '{}',
      proof,
    } as const
    const { body } = say([
      { type: 'start', id: 'r', model: 'm' },
      { type: 'block-start', block: { ...block, input: '' } },
      { type: 'block-delta', text: '{}' },
      { type: 'block-end', tail: {} },
      { type: 'finish', reason: 'tool-call' },
    ])
    expect(body['content']).toMatchObject([{ type: 'thinking' }, { type: 'tool_use' }])
    const content: JsonObject[] = JSON.parse(JSON.stringify(body['content']))
    expect(back(content).turns[1]?.blocks).toEqual([block])
  })

  it.each<[string, string[]]>([
    ['all thoughts before the text', ['thinking', 'text', 'tool_use']],
    ['the calls before the text', ['thinking', 'tool_use', 'text']],
  ])('comes home from a client that puts %s', (_, order) => {
    const thought: Block = { kind: 'reasoning', text: 'hm' }
    const signed: Block = {
      kind: 'tool-call',
      id: 't1',
      name: 'f',
      form: 'json',
      input: '{}',
      proof,
    }
    const back_ = (...blocks: Block[]) => {
      const events: Event[] = blocks.flatMap((block): Event[] =>
        block.kind === 'tool-call'
          ? [
              { type: 'block-start', block },
              { type: 'block-end', tail: {} },
            ]
          : unfold({ id: '', model: '', finish: 'stop', blocks: [block] }).slice(1, -1),
      )
      const { body } = say(
        [
          { type: 'start', id: 'r', model: 'm' },
          ...events,
          { type: 'finish', reason: 'tool-call' },
        ],
        thinks,
      )
      const content: JsonObject[] = JSON.parse(JSON.stringify(body['content']))
      const sorted = order.flatMap((type) => content.filter((block) => block['type'] === type))
      return back(sorted).turns[1]?.blocks
    }
    const calling = back_(thought, text('a'), signed, call('t2'))
    expect(calling).toHaveLength(4)
    expect(calling).toEqual(expect.arrayContaining([thought, text('a'), signed, call('t2')]))
    expect(back_(thought, proven(text('a')))).toEqual([thought, proven(text('a'))])
  })

  it('of a call is on the thought before it, where that has none: clients drop thoughts without words', () => {
    const block: Block = {
      kind: 'tool-call',
      id: 't1',
      name: 'f',
      form: 'json',
      input: '{}',
      proof,
    }
    const { body } = say([
      { type: 'start', id: 'r', model: 'm' },
      { type: 'block-start', block: { kind: 'reasoning', text: '' } },
      { type: 'block-delta', text: 'hm' },
      { type: 'block-end', tail: {} },
      { type: 'block-start', block },
      { type: 'block-end', tail: {} },
      { type: 'finish', reason: 'tool-call' },
    ])
    const signature = expect.stringContaining(proof.value)
    const thought = { type: 'thinking', thinking: 'hm', signature }
    expect(body['content']).toMatchObject([thought, { type: 'tool_use' }])
    const { turns } = back(JSON.parse(JSON.stringify(body['content'])))
    expect(turns[1]?.blocks).toEqual([{ kind: 'reasoning', text: 'hm' }, block])
  })

  it('never reaches an upstream of this dialect', () => {
    const { text: body, losses } = write(sentBack([proven(text('a')), proven(call('t1'))]))
    expect(body).not.toContain('xseal1')
    expect(losses).toContain('dropped turns.1.blocks.0.seal')
    expect(losses).toContain('dropped turns.1.blocks.1.seal')
  })

  it('that came back damaged is dropped and reported', () => {
    const blocks = [proven({ kind: 'reasoning', text: 'hm' }), proven(text('a'))]
    const damaged = sentBack(blocks, (body) => body.replaceAll('c2lnb', 'c2lnX'))
    expect(damaged.turns[1]?.blocks).toEqual([{ kind: 'reasoning', text: 'hm' }, text('a')])
    const written = write(damaged)
    expect(written.text).not.toContain('xseal1')
    expect(written.text).not.toContain('damaged')
    expect(written.losses).toContain('dropped turns.1.seal')
  })

  it('whose block did not come back is dropped and reported', () => {
    const { body } = say([
      { type: 'start', id: 'r', model: 'm' },
      {
        type: 'block-start',
        block: { kind: 'tool-call', id: 't', name: 'f', form: 'json', input: '', proof },
      },
      { type: 'block-end', tail: {} },
      { type: 'finish', reason: 'tool-call' },
    ])
    const content: JsonObject[] = JSON.parse(JSON.stringify(body['content']))
    const { turns } = back(content.slice(0, 1))
    expect(turns[1]).toEqual({
      role: 'assistant',
      blocks: [],
      damagedProof: true,
    })
  })
})

/** How the answer is often read: `content.at(-1).text`. */
const lastType = (body: JsonObject) => objectsOf(body['content']).at(-1)?.['type']
const streamedTypes = ({ frames }: ReturnType<typeof say>) =>
  frames.flatMap(({ data }) => objectIn(parseObject(data)?.['content_block'])['type'] ?? [])

const spoken = (blocks: Block[], of = request()) =>
  say(unfold({ id: 'r', model: 'm', blocks, finish: 'stop' }), of)

describe('behind the final text of a reply', () => {
  const replies: [string, Block[]][] = [
    ['a signed text', [text('a'), proven(text('b'))]],
    ['a text, and a signature alone', [text('b'), proven(text(''))]],
    ['thoughts, and a signed text', [{ kind: 'reasoning', text: 'hm' }, proven(text('b'))]],
    ['a text, and thoughts of which there is only the proof', [text('b'), proven(HIDDEN)]],
    ['the same twice', [text('b'), proven(HIDDEN), proven(text(''))]],
  ]

  it.each(replies)('nothing follows unless thoughts were asked for: %s', (_, blocks) => {
    const said = spoken(blocks)
    expect(objectsOf(said.body['content']).at(-1)).toMatchObject({ type: 'text', text: 'b' })
    expect(streamedTypes(said).at(-1)).toBe('text')
    expect(said.losses).toContain('dropped reply.text.seal')
    const asked = spoken(blocks, thinks)
    expect([lastType(asked.body), streamedTypes(asked).at(-1)]).toEqual(['thinking', 'thinking'])
    expect(asked.losses).toEqual([])
  })

  it('nothing follows where only an effort was asked for, or thoughts were declined', () => {
    const blocks = [proven(text('b'))]
    for (const members of [
      { output_config: { effort: 'high' } },
      { thinking: { type: 'disabled' } },
    ])
      expect(lastType(spoken(blocks, read(asking(members))).body)).toBe('text')
    const enabled = { thinking: { type: 'enabled', budget_tokens: 1024 } }
    expect(lastType(spoken(blocks, read(asking(enabled))).body)).toBe('thinking')
  })

  it('the proof follows for a caller that has brought one back', () => {
    const turns = [user('a'), assistant(proven(text('b'))), user('c')]
    expect(lastType(spoken([proven(text('d'))], request({ turns })).body)).toBe('thinking')
    const tools = [user('a'), assistant(proven(call('t'))), user('c')]
    expect(lastType(spoken([proven(text('d'))], request({ turns: tools })).body)).toBe('text')
  })

  it('the proof of a call stands before it all the same, and that of a text in between', () => {
    const [start, ...others] = unfold({ id: 'r', model: 'm', blocks: [], finish: 'tool-call' })
    const { body, losses } = say([
      ...(start ? [start] : []),
      { type: 'block-start', block: text('') },
      { type: 'block-delta', text: 'a' },
      { type: 'block-end', tail: { proof } },
      { type: 'block-start', block: proven(call('t')) },
      { type: 'block-end', tail: {} },
      ...others,
    ])
    const types = objectsOf(body['content']).map(({ type }) => type)
    expect(types).toEqual(['text', 'thinking', 'thinking', 'tool_use'])
    expect(losses).toEqual([])
  })
})

const own = (value: string) => ({ dialect: 'messages', value })

describe('a proof of this dialect', () => {
  it('is kept as it came, piece by piece', () => {
    const content = [
      { type: 'thinking', thinking: 'a', signature: 's1' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'thinking', thinking: '', signature: 's2' },
      { type: 'text', text: 'x' },
    ]
    const request_ = back(content)
    expect(request_.turns[1]?.blocks).toEqual([
      { kind: 'reasoning', text: 'a', proof: own('s1') },
      { kind: 'reasoning', text: '', redacted: true, proof: own('d') },
      { kind: 'reasoning', text: '', proof: own('s2') },
      text('x'),
    ])
    expect(write(request_).wire['messages']).toMatchObject([{}, { content }, {}])
  })

  it('missing is no proof', () => {
    const content = [
      { type: 'thinking', thinking: 'a', signature: '' },
      { type: 'text', text: 'x' },
    ]
    expect(back(content).turns[1]?.blocks[0]).toEqual({ kind: 'reasoning', text: 'a' })
    expect(write(request({ turns: back(content).turns })).losses).toEqual([
      'dropped turns.1.blocks.0',
    ])
  })
})
