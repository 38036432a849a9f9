import { stringify } from '../../json/json.ts'
import type { FunctionTool, Request, TextBlock } from '../../model/request.ts'
import { emptyRequest } from '../../rules/empty-request.ts'

/** What the proxy asks itself: about as much as in a short question, and by an agent. */

const text = (words: string): TextBlock => ({ kind: 'text', text: words })

const SCHEMA = stringify({
  type: 'object',
  properties: { path: { type: 'string', description: 'Where.' }, line: { type: 'integer' } },
  required: ['path'],
  additionalProperties: false,
})

const tool = (name: string): FunctionTool => ({
  kind: 'function',
  name,
  description: 'Does what it says. '.repeat(5),
  schema: SCHEMA,
})

const QUESTION: Request = {
  ...emptyRequest(''),
  system: [text('Answer in short sentences. '.repeat(10))],
  turns: [{ role: 'user', blocks: [text('What does a proxy do, and why? '.repeat(16))] }],
  limits: { maxOutputTokens: 200 },
}

/** Instructions, tools, a call of one and what it brought; the demo calls another one. */
const AGENT: Request = {
  ...emptyRequest(''),
  system: [text('You help with a program. '.repeat(20))],
  tools: ['look_up', 'edit_file', 'run_tests'].map(tool),
  turns: [
    { role: 'user', blocks: [text('What is in the first file?')] },
    {
      role: 'assistant',
      blocks: [
        text('I look it up.'),
        {
          kind: 'tool-call',
          id: 'call_1',
          name: 'look_up',
          form: 'json',
          input: '{"path":"a.ts"}',
        },
      ],
    },
    {
      role: 'user',
      blocks: [
        {
          kind: 'tool-result',
          callId: 'call_1',
          name: 'look_up',
          form: 'text',
          content: [text('const one = 1\n'.repeat(50))],
        },
        text('Then call edit_file with it, please.'),
      ],
    },
  ],
  limits: { maxOutputTokens: 200 },
}

export const CONVERSATIONS: readonly Request[] = [QUESTION, AGENT]
