import type { Dialect } from './shared.ts'

/** A working session of a coding agent: about 100 KB in 60 turns, with 20 tools. */

interface Step {
  id: string
  said: string
  tool: string
  input: { [name: string]: unknown }
  result: string
}

interface Tool {
  name: string
  description: string
  schema: object
}

const STEPS = 29
const TOOLS = 20
const SYSTEM = [
  'You are a careful programmer who works in the folder of a project with the tools you are given.',
  'Read before you write. Change as little as the task needs, and run the tests after every change.',
  'Say in one sentence what you are about to do, then call one tool. Never invent a path.',
]
  .join('\n')
  .repeat(18)

const CODE = [
  'export function total(lines: readonly string[]): number {',
  '  const amounts = lines.map((line) => Number(line.split(\'\\t\')[2] ?? "0"))',
  '  // Lines without an amount count as nothing.',
  '  return amounts.filter(Number.isFinite).reduce((sum, amount) => sum + amount, 0)',
  '}',
  '',
].join('\n')

const VERBS = ['read', 'write', 'find', 'list', 'run', 'edit', 'move', 'fetch', 'search', 'check']
const NOUNS = ['file', 'folder']

const text = (description: string) => ({ type: 'string', description })

function toolAt(index: number): Tool {
  const name = `${VERBS[index % VERBS.length]}_${NOUNS[Math.floor(index / VERBS.length) % NOUNS.length]}`
  return {
    name,
    description: `Use ${name} when the task asks for it. It yields plain text, at most 2,000 lines of it.`,
    schema: {
      type: 'object',
      properties: {
        path: text('An absolute path; it has to be inside the folder of the project.'),
        pattern: text('A regular expression such as "^export (?:function|const) \\\\w+".'),
        limit: { type: 'integer', minimum: 1, maximum: 2000, description: 'How many lines.' },
        mode: { type: 'string', enum: ['plain', 'numbered', 'json'], default: 'plain' },
        options: {
          type: 'object',
          properties: {
            recursive: { type: 'boolean' },
            ignore: { type: 'array', items: text('A glob.') },
          },
          additionalProperties: false,
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
  }
}

function stepAt(index: number, wide: boolean): Step {
  const path = `/project/src/part-${index}/total.ts`
  const note = wide && index % 10 === 0 ? '// 合計 → Σ “done”\n' : ''
  return {
    id: `toolu_${String(index).padStart(24, '0')}`,
    said: `I look at ${path} next, because the failing test number ${index} leads there.`,
    tool: toolAt(index % TOOLS).name,
    input: { path, limit: 400 + index, mode: 'numbered', options: { recursive: index % 2 === 0 } },
    result: `${path}\n${note}${CODE.repeat(8)}`,
  }
}

const TASK = 'The total of the second report is wrong. Find out why, and repair it with a test.'
const tools = Array.from({ length: TOOLS }, (_, index) => toolAt(index))

type Body = { [member: string]: unknown }
type Writer = (steps: readonly Step[]) => Body

const LASTING = { cache_control: { type: 'ephemeral' } }

const messages: Writer = (steps) => ({
  max_tokens: 8192,
  system: [{ type: 'text', text: SYSTEM, ...LASTING }],
  tools: tools.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: schema,
  })),
  messages: [
    { role: 'user', content: [{ type: 'text', text: TASK }] },
    ...steps.flatMap(({ id, said, tool, input, result }) => [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: said },
          { type: 'tool_use', id, name: tool, input },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: result }] },
        ],
      },
    ]),
  ],
})

const generateContent: Writer = (steps) => ({
  systemInstruction: { parts: [{ text: SYSTEM }] },
  tools: [
    {
      functionDeclarations: tools.map(({ name, description, schema }) => ({
        name,
        description,
        parametersJsonSchema: schema,
      })),
    },
  ],
  contents: [
    { role: 'user', parts: [{ text: TASK }] },
    ...steps.flatMap(({ id, said, tool, input, result }) => [
      { role: 'model', parts: [{ text: said }, { functionCall: { id, name: tool, args: input } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id, name: tool, response: { output: result } } }],
      },
    ]),
  ],
  generationConfig: { maxOutputTokens: 8192 },
})

const responses: Writer = (steps) => ({
  max_output_tokens: 8192,
  store: false,
  instructions: SYSTEM,
  tools: tools.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    description,
    parameters: schema,
    strict: false,
  })),
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: TASK }] },
    ...steps.flatMap(({ id, said, tool, input, result }) => [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] },
      { type: 'function_call', call_id: id, name: tool, arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: id, output: result },
    ]),
  ],
})

const WRITERS: Readonly<Record<Dialect, Writer>> = {
  messages,
  'generate-content': generateContent,
  responses,
}

/** With wide characters a JavaScript string takes twice the room. */
export const historyIn = (dialect: Dialect, wide: boolean): Body =>
  WRITERS[dialect](Array.from({ length: STEPS }, (_, index) => stepAt(index, wide)))
