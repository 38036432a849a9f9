import { kits } from '../dialects/index.ts'
import type { Dialect } from './shared.ts'
import type { Body, Step, Tool } from './words.ts'

/** A working session of a coding agent, with 20 tools: about 100 KB after 30 steps, 150 KB after 40. */

const STEPS = 29
/** Requests of a session that grows by a step each, from about 20 to 150 KB. */
const GROWING_TURNS = 40
/** Stands where sessions differ; the callers write a number of as many digits over it. */
export const SESSION_MARK = 'session-no-0000000'
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

interface Kind {
  wide: boolean
  /** How often the code stands in the result of a tool. */
  code: number
}

function stepAt(index: number, { wide, code }: Kind): Step {
  const path = `/project/src/part-${index}/total.ts`
  const note = wide && index % 10 === 0 ? '// 合計 → Σ “done”\n' : ''
  return {
    id: `toolu_${String(index).padStart(24, '0')}`,
    said: `I look at ${path} next, because the failing test number ${index} leads there.`,
    tool: toolAt(index % TOOLS).name,
    input: { path, limit: 400 + index, mode: 'numbered', options: { recursive: index % 2 === 0 } },
    result: `${path} of ${SESSION_MARK}\n${note}${CODE.repeat(code)}`,
  }
}

const TASK = `In ${SESSION_MARK} the total of the second report is wrong. Find out why, and repair it with a test.`
const tools = Array.from({ length: TOOLS }, (_, index) => toolAt(index))

const grown = (dialect: Dialect, length: number, kind: Kind): Body => {
  const steps = Array.from({ length }, (_, index) => stepAt(index, kind))
  return kits[dialect].bench.history({ steps, tools, system: SYSTEM, task: TASK })
}

/** With wide characters a JavaScript string takes twice the room. */
export const historyIn = (dialect: Dialect, wide: boolean): Body =>
  grown(dialect, STEPS, { wide, code: 8 })

/** What an agent sends in turn after turn: each request repeats the one before and adds a step. */
export const growingIn = (dialect: Dialect): Body[] =>
  Array.from({ length: GROWING_TURNS }, (_, turn) => grown(dialect, turn, { wide: true, code: 10 }))
