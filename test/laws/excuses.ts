import type { Folded } from '../../src/model/events.ts'
import type { Loss } from '../../src/model/loss.ts'
import { differences, replyAspects } from './compare.ts'

/** What a report must name to excuse a difference in an aspect of a reply. */
const EXCUSES: Record<string, RegExp> = {
  // A refusal becomes text where there is no word for it.
  text: /^reply\.refusal/,
  refusal: /^reply\.refusal/,
  reasoning: /^reply\.reasoning$/,
  calls: /^reply\.tool-call/,
  media: /^reply\.media/,
  code: /^reply\.code/,
  search: /^reply\.search/,
  opaque: /^reply\.[A-Za-z_-]+$/,
  order: /^reply\.(?!finish|stopSequence|usage|citations|tool-call\.input)/,
  proofs: /\.seal$|^reply\.refusal/,
  citations: /^reply\.(?:citations|refusal)/,
  // A call without a legal input is no call.
  finish: /^reply\.(?:finish|tool-call\.input)$/,
  stopSequence: /^reply\.stopSequence$/,
}

/** The differences between a reply and what became of it that no report excuses. */
export function unreportedInReply(
  expected: Folded,
  actual: Folded,
  losses: readonly Loss[],
): string[] {
  const paths = losses.map(({ path }) => path)
  return differences(replyAspects(expected), replyAspects(actual)).filter((line) => {
    const [aspect = ''] = line.split(':')
    const excuse = EXCUSES[aspect]
    return !paths.some((path) => (excuse ? excuse.test(path) : path.endsWith(aspect)))
  })
}
