import { expect, it } from 'vitest'
import { messages } from './messages.ts'
import { pageAt } from './pages.ts'

const { text } = pageAt('docs/troubleshooting.md')

/** Messages that say by themselves what was expected, or so plainly what is wrong that nothing is to be added. */
const PLAIN = [
  /\bexpected\b|\b(?:has|have) to be\b|\bmust be\b|\bis required\b|; see --help/,
  /^The body is not |^Invalid '|^This (?:path|endpoint|response) |^There is no endpoint/,
  /^(?:explain|verify|launch|init --from) expects |^This is no id of a task|^Cannot cancel|^The response was cancelled|^The caller left/,
  /^a signature needs no token|^this header belongs to the connection|: only text is allowed here/,
  /blocks belong into messages of the role|^There is no (?:dialect|profile) '/,
  /^a Worker (?:has|cannot|is traced)|^this upstream stands in the list|^the same key as|^no route leads to/,
  /^a key of the caller is refused or not|^weights count only|^without "minInputTokens"/,
  /\banother one (?:starts|listens)|^nobody reads the output|^the output is read again/,
  /^no answer within|^it is left alone|^the (?:store is closed|connection was cut)/,
  /^The upstream (?:sent|answered with something|ended its reply|could not complete)|^The reply has failed/,
  /^The (?:request holds nothing|input refers to items|conversation is larger)|^There is no conversation/,
  /: this call has no result yet|^The time of this key is over|^, since no server takes more/,
  // They say what to do.
  /[;:.] (?:send|leave|let|wait|name a|one of both|POST the|npm install)\b/i,
  /which is added to what is sent|which would call itself|served here without being listed|\] comes first and takes/,
  /" belongs to$|^launch (?:listens on|itself tells)|^there is no command|^unexpected "|never writes over a file/,
  /^has nothing that can be converted|^where there is no terminal|^cannot be (?:read|started) \(/,
  /^it needs the node:sqlite module|^it was written by a newer version/,
]

it('every message that needs more words has them on the page of troubles', () => {
  const unsaid = messages.filter(
    ({ piece }) => !text.includes(piece) && !PLAIN.some((plain) => plain.test(piece)),
  )
  expect(messages.length).toBeGreaterThan(100)
  expect(unsaid).toEqual([])
})
