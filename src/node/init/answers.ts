import { createInterface } from 'node:readline/promises'
import { DIALECTS } from '../../../adapters/dialect.ts'
import type { JsonObject } from '../../json/json.ts'
import type { InitOptions } from '../command/options.ts'

/** What is wrong with a member of an upstream, in the words of `check`. */
type FaultOf = (upstream: JsonObject, member: string) => string | undefined

/** Asks up to three questions; what an option says is not asked, and what would be refused is asked for again. */
export async function askPerson(wanted: InitOptions, faultOf: FaultOf): Promise<InitOptions> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const ask = async (question: string, wrongIn: (answer: string) => string | undefined) => {
    for (;;) {
      const answer = (await terminal.question(question)).trim()
      const wrong = wrongIn(answer)
      if (wrong === undefined) return answer
      process.stderr.write(`${wrong}\n`)
    }
  }
  try {
    const dialect =
      wanted.dialect ??
      (await ask(`What does the upstream speak (${DIALECTS.join(', ')})? `, (answer) =>
        faultOf({ dialect: answer, url: 'https://host' }, 'dialect'),
      ))
    const url =
      wanted.url ??
      (await ask('Its address, such as https://host or https://host/v1? ', (answer) =>
        faultOf({ dialect, url: answer }, 'url'),
      ))
    const key =
      wanted.key ??
      (await ask('Its key, best as env:NAME for a variable (empty for none)? ', (answer) =>
        answer === '' ? undefined : faultOf({ dialect, url, key: answer }, 'key'),
      ))
    return { dialect, url, key }
  } finally {
    terminal.close()
  }
}
