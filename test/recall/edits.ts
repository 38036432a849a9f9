import fc from 'fast-check'

/** What may happen to a session between two of its requests. */
export type Step =
  | { kind: 'grow' | 'shrink'; by: number }
  | { kind: 'repeat' | 'mend' }
  /** Of the session from here on, or of one request only. */
  | { kind: 'edit'; edit: Edit; lasts: boolean }
  | { kind: 'bytes'; at: number; bytes: readonly number[] }
  | { kind: 'other'; what: 'caller' | 'session' | 'stream' | 'upstream' }

/** A change at one of the places where a piece of text stands: counted from its end, or from its beginning. */
export interface Edit {
  sought: string
  nth: number
  fromEnd: boolean
  how: 'before' | 'behind' | 'instead'
  text: string
}

const LONG = 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(800)
const DEEP = '['.repeat(300)

/** Nearly all of them leave a body valid at one place or another. */
const TEXTS = [
  '',
  ' ',
  '\n  ',
  '0',
  '17',
  '"',
  ',',
  '{}',
  '[]',
  '"a":1,',
  ',"a":"б"',
  '{"role":"user","content":"漢字"},',
  ',{"role":"user","content":"\\ud83d"}',
  '"messages":[],',
  '"input":[],',
  '"contents":[],',
  '"model":"messages-y",',
  '"__proto__":{"a":1},',
  '"toJSON":1,',
  '"input":{"n":12345678901234567890, "n":1e5},',
  '\\u0041',
  '\\',
  '\\ud800',
  'é',
  '😀',
  '\u007f0\u007f',
  '\u00800.17\u0080',
  'xseal1.',
  '"id":"hosted_1",',
  '"previous_response_id":"resp_1",',
  '],"x":[1',
  '}',
  `"long":"${LONG}",`,
  LONG,
  DEEP,
]

const SOUGHT = ['"', ',', '{', '}', '[', ']', ':', '":"', '},{', 'e', '0', '"role"', '"text"']

const anyEdit: fc.Arbitrary<Edit> = fc.record({
  sought: fc.constantFrom(...SOUGHT),
  nth: fc.oneof(fc.nat(12), fc.nat(400)),
  fromEnd: fc.boolean(),
  how: fc.constantFrom('before', 'behind', 'instead'),
  text: fc.constantFrom(...TEXTS),
})

/** What is no text, and the mark of one. */
const BYTES = [[0xff], [0xd0], [0xef, 0xbb, 0xbf], [0], [0xed, 0xa0, 0x80]]

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('grow'), by: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('shrink'), by: fc.nat(12) }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      { kind: 'repeat' },
      { kind: 'mend' },
      { kind: 'mend' },
      { kind: 'mend' },
    ),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('edit'), edit: anyEdit, lasts: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bytes'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.constantFrom(...BYTES),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('other'),
      what: fc.constantFrom('caller', 'session', 'stream', 'upstream'),
    }),
  },
)

export function edited(text: string, { sought, nth, fromEnd, how, text: added }: Edit): string {
  const parts = text.split(sought)
  if (parts.length < 2) return text
  const place = 1 + (nth % (parts.length - 1))
  const index = fromEnd ? parts.length - place : place
  const [before, behind] = [parts.slice(0, index).join(sought), parts.slice(index).join(sought)]
  if (how === 'instead') return before + added + behind
  return how === 'before' ? before + added + sought + behind : before + sought + added + behind
}
