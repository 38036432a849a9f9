import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { DIALECTS } from '../../../adapters/dialect.ts'
import type { JsonObject } from '../../json/json.ts'
import type { InitOptions } from '../command/options.ts'

/** What is wrong with a member of an upstream, in the words of `check`. */
type FaultOf = (upstream: JsonObject, member: string) => string | undefined

const NAME = /^[A-Za-z_]\w*$/

/** A key that stands there itself, and not where to find it. */
export const isTyped = (key: string): boolean => key !== 'caller' && !/^(?:env:|file:\/)/.test(key)

/** Asks up to four questions; what an option says is not asked, and what would be refused is asked for again. */
export async function askPerson(wanted: InitOptions, faultOf: FaultOf): Promise<InitOptions> {
  const terminal = openTerminal()
  const { ask } = terminal
  try {
    const dialect =
      wanted.dialect ??
      (await ask(
        `Which API format (dialect) does the upstream speak: ${DIALECTS.join(', ')}? `,
        (answer) => faultOf({ dialect: answer, url: 'https://host' }, 'dialect'),
      ))
    const url =
      wanted.url ??
      (await ask('Its address, such as https://host or https://host/v1? ', (answer) =>
        faultOf({ dialect, url: answer }, 'url'),
      ))
    if (wanted.key !== undefined) return { dialect, url, key: wanted.key }
    const key = await ask(
      'Its key, best as env:NAME for a variable (not shown; empty for none)? ',
      (answer) => (answer === '' ? undefined : faultOf({ dialect, url, key: answer }, 'key')),
      true,
    )
    if (key === '' || !isTyped(key)) return { dialect, url, key }
    const name = await ask(
      'A variable that shall hold it, so that the file does not (empty leaves the key in the file)? ',
      (answer) =>
        answer === '' || NAME.test(answer) ? undefined : 'expected a name such as UPSTREAM_KEY',
    )
    return { dialect, url, key: name === '' ? key : `env:${name}` }
  } finally {
    terminal.close()
  }
}

/** A terminal that can be told to show nothing of what is typed. */
function openTerminal() {
  let isHidden = false
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!isHidden) process.stderr.write(chunk)
      done()
    },
  })
  const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
  // As without a prompt: the person wants out.
  terminal.on('SIGINT', () => process.exit(130))
  const hiddenAnswer = async (question: string): Promise<string> => {
    process.stderr.write(question)
    isHidden = true
    try {
      return await terminal.question('')
    } finally {
      isHidden = false
      process.stderr.write('\n')
    }
  }
  return {
    close: () => terminal.close(),
    async ask(
      question: string,
      wrongIn: (answer: string) => string | undefined,
      hides = false,
    ): Promise<string> {
      for (;;) {
        const said = hides ? hiddenAnswer(question) : terminal.question(question)
        const answer = (await said).trim()
        const wrong = wrongIn(answer)
        if (wrong === undefined) return answer
        process.stderr.write(`${wrong}\n`)
      }
    },
  }
}
