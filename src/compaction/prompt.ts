/** The words of a summary turn. They never change, and nothing of the request is in them but what the caller asks for. */
const ORDER = `This is not a question. The conversation above has become too long and will be replaced by a summary, which you write now. Whoever goes on with the work has the summary alone and sees nothing else of what is above.`

const CONTENT = `Write down, under short headings:
1. The task: what the user wants, with every requirement, limit and preference. Quote exact wording where it matters.
2. Decisions: what was settled, and why.
3. State of the work: what is done, what is under way, what is left. Name files, commands, addresses, ids, numbers, names and values exactly as they are.
4. Findings: what the results of tools and the documents say, as far as it is still needed, word for word where it has to be exact.
5. What was tried and did not work, and why.
6. Open questions, and the next step.
7. What was agreed about language, style and formats.
Take over everything that an earlier summary above holds and that is still true.`

const BOUNDS = `Call no tool. Do not answer the last message and do not go on with the work. Invent nothing: where something is not known, say so. Write in the language of the conversation, and write the summary alone.`

/** Why the same is asked once more. */
export type Again = 'called' | 'cut' | 'wordless'

const REMINDERS: Record<Again, string> = {
  called: 'No tool can be called now. Write the summary in words.',
  cut: 'Be brief: a longer summary is cut off and of no use.',
  wordless: 'Write the summary itself, in words, at once.',
}

/** `instructions`: what the caller wants in place of the usual content. */
export const summaryOrder = (instructions?: string, again?: Again): string =>
  [ORDER, instructions ?? CONTENT, BOUNDS, ...(again ? [REMINDERS[again]] : [])].join('\n\n')
