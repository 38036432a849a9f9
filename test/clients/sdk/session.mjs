/** `@openai/agents` with a session that is compacted thrice: node session.mjs URL MODEL FACTS. Without arguments it shows that its packages are there. */
import {
  Agent,
  OpenAIResponsesCompactionSession,
  run,
  setDefaultOpenAIClient,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'

const [url, model, facts] = process.argv.slice(2)
if (url === undefined) process.exit()

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any' })
setDefaultOpenAIClient(client)
setTracingDisabled(true)
const command = tool({
  name: 'exec_command',
  description: 'Runs a command.',
  parameters: z.object({ cmd: z.string() }),
  execute: ({ cmd }) => (cmd === 'cat facts.txt' ? facts : 'nothing'),
})
const agent = new Agent({ name: 'worker', model, tools: [command] })
const session = new OpenAIResponsesCompactionSession({ client, model })
for (const words of ['Go through it.', 'Go on.', 'Go on.']) {
  await run(agent, words, { session })
  await session.runCompaction({ force: true })
}
const { finalOutput } = await run(agent, 'What is known?', { session })
console.log(finalOutput)
