import { describe, expect, it } from 'vitest'
import type { Block } from '../../src/model/request.ts'
import { call, read, tellReply, text } from './help.ts'

interface Part {
  thought?: true
  thoughtSignature?: string
}

const thought: Block = {
  kind: 'reasoning',
  text: 'Two cities.',
  proof: { dialect: 'messages', value: 'c2lnbmF0dXJl' },
}
const said = [thought, text('I look.'), call('a', 'f'), call('b', 'f')]

/** What the next request says of the reply, with one content for each group of its parts. */
function sentBack(group: (parts: Part[]) => Part[][]): Block[] | undefined {
  const { parts } = tellReply(...said).body.candidates[0].content
  const contents = group(parts).map((some) => ({ role: 'model', parts: some }))
  return read({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }, ...contents] }).turns[1]
    ?.blocks
}

const isThought = (part: Part) => part.thought === true
const unsigned = ({ thoughtSignature: _signature, ...part }: Part): Part => part

/** The parts with the signature of the thought on the text behind it. */
function moved([first = {}, second, ...rest]: Part[]): Part[] {
  const { thoughtSignature = '', ...bare } = first
  return [bare, { ...second, thoughtSignature }, ...rest]
}

/** The parts with all signatures on the first call. */
function joined(parts: Part[]): Part[] {
  const signatures = parts.flatMap((part) => part.thoughtSignature ?? [])
  const bare = parts.map(unsigned)
  return bare.with(2, { ...bare[2], thoughtSignature: signatures.join('\n\n') })
}

describe('a thought with a foreign proof comes home', () => {
  it.each<[string, (parts: Part[]) => Part[][]]>([
    ['from a client that returns all', (parts) => [parts]],
    ['from one that returns no thoughts', (parts) => [parts.filter((part) => !isThought(part))]],
    [
      'from one that keeps proofs on calls alone',
      (parts) => [parts.map((part) => (isThought(part) ? unsigned(part) : part))],
    ],
    [
      'from one that does so and keeps each call apart',
      (parts) => [parts.slice(0, 2).map(unsigned), ...parts.slice(2).map((part) => [part])],
    ],
    // langchain4j 1.19, of a reply in one body
    ['from one that joins all proofs on the first call', (parts) => [joined(parts)]],
    // LiteLLM 1.110, of a reply in one body
    ['from one that puts the first proof on the first text', (parts) => [moved(parts)]],
    [
      'from one that does so and keeps none on calls',
      (parts) => [[...moved(parts).slice(0, 2), ...parts.slice(2).map(unsigned)]],
    ],
    // agno 3.1
    ['from one that does so and returns no thoughts', (parts) => [moved(parts).slice(1)]],
  ])('%s', (_, group) => {
    const blocks = sentBack(group)
    expect(blocks).toMatchObject(said)
    expect(blocks?.[1]).not.toHaveProperty('proof')
  })
})

it('goes before one without words that stood behind it, where no thoughts are returned', () => {
  const proof = { dialect: 'messages', value: 'aGlkZGVu' }
  const hidden: Block = { kind: 'reasoning', text: '', redacted: true, proof }
  const all = [thought, hidden, text('I look.'), call('a', 'f')]
  const { parts } = tellReply(...all).body.candidates[0].content
  const kept = parts.filter((part: Part) => !isThought(part))
  const contents = [
    { role: 'user', parts: [{ text: 'Hello' }] },
    { role: 'model', parts: kept },
  ]
  expect(read({ contents }).turns[1]?.blocks).toMatchObject(all)
})

const second: Block = {
  kind: 'reasoning',
  text: 'The nearer one.',
  proof: { dialect: 'messages', value: 'c2Vjb25k' },
}
const before = [call('z', 'f'), thought]
const apart = [...before, text('I look.'), second, text(' Now.'), call('a', 'f')]
// Texts that have become neighbours are one.
const together = [...before, second, text('I look. Now.'), call('a', 'f')]

it.each<[string, (part: Part) => Part[], Block[]]>([
  ['all come back', (part) => [part], apart],
  ['none comes back', (part) => (isThought(part) ? [] : [part]), together],
  ['they come back bare', (part) => [isThought(part) ? unsigned(part) : part], apart],
])('and so do two before one call, where %s', (_, kept, blocks) => {
  const { parts } = tellReply(...apart).body.candidates[0].content
  const contents = [
    { role: 'user', parts: [{ text: 'Hello' }] },
    { role: 'model', parts: parts.flatMap(kept) },
  ]
  expect(read({ contents }).turns[1]?.blocks).toMatchObject(blocks)
})

it('is one thought, also beside one with the same words that has no proof', () => {
  const twin: Block = { kind: 'reasoning', text: 'Two cities.' }
  const { parts } = tellReply(thought, twin, call('a', 'f')).body.candidates[0].content
  const blocks = read({ contents: [{ role: 'model', parts }] }).turns[0]?.blocks ?? []
  expect(blocks.slice(0, 2)).toEqual([thought, twin])
})
