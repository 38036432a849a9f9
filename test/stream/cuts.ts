import { ListedCuts, type CutFrame, type FrameCutter } from '../../src/stream/sse.ts'

/** What is cut out of a text. */
export function cutsOf(cutter: FrameCutter, text: string): CutFrame[] {
  const cuts = new ListedCuts()
  cutter.cut(text, cuts)
  return cuts.drain()
}
