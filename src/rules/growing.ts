/** Powers of two: a short text is written anew every 1,024 characters, a long one when a quarter of it is new. */
const SHORT_BITS = 10
const PART_BITS = 2

/**
 * A text with one more piece behind it. V8 keeps a text that grows as a tree of its pieces, which takes many times the
 * text where they are words; a piece of some length is a part of the text that it was cut out of, and keeps all of
 * that. So it is written anew whenever it has grown by a quarter at most.
 */
export function grown(text: string, piece: string): string {
  const length = text.length + piece.length
  const bits = Math.max(SHORT_BITS, 31 - PART_BITS - Math.clz32(length))
  return text.length >>> bits === length >>> bits ? text + piece : [text, piece].join('')
}
