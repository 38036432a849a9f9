import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from './world.ts'

const KEY = 'any'

/** A turn that leads to more than words. */
interface Turn {
  text: string
  isDone(said: string, world: World): boolean
}

/** An agent that speaks chat completions. */
export interface Agent {
  name: string
  turn(model: string): Turn
  /** Over one dialect alone it is told of a refusal, too: each of its turns takes seconds of a processor. */
  isRefusedOnce?: boolean
  /** Installed and run only when it is asked for by name: it takes minutes of a processor. The package of Node. */
  package?: string
  /** The same for a module of Python. Any other agent is the program of its name. */
  module?: string
  args(model: string, text: string, world: World): string[]
  world(url: string, model: string, world: World): Record<string, string>
}

/** A tool that the agent offers and that may run unasked. The demo calls it and says what it brought. */
const calls = (tool: string) => (): Turn => ({
  text: `call ${tool}`,
  isDone: (said) => said.includes(`${tool} said: `),
})

/** aider has no tools: what the model says is the edit. The demo says what it was asked. */
function edits(model: string): Turn {
  const file = `notes-${model}.txt`
  return {
    text: `Hello there\n\n${file}\n\`\`\`\nfrom the demo\n\`\`\`\n`,
    isDone: (said, { work }) =>
      said.includes('You said: Hello there') && existsSync(join(work, file)),
  }
}

export const AGENTS: readonly Agent[] = [
  {
    name: 'opencode',
    turn: calls('read'),
    args: (_, text) => ['run', text],
    world: (url, model) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeFor(url, model)) }),
  },
  {
    name: 'qwen',
    turn: calls('glob'),
    args: (_, text) => ['--auth-type', 'openai', '-p', text],
    world: (url, model) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: model,
    }),
  },
  {
    name: 'pi',
    turn: calls('read'),
    args: (model, text) => ['--provider', 'dragoman', '--model', model, '-p', text],
    world: (url, model, { home }) => ({ PI_CODING_AGENT_DIR: piFolder(url, model, home) }),
  },
  {
    name: 'cline',
    turn: calls('read_files'),
    isRefusedOnce: true,
    args: (model, text, { home }) => ['--data-dir', join(home, `cline-${model}`), text],
    world: (url, model, { home }) => {
      writeJson(join(home, `cline-${model}`, 'settings'), 'providers', clineFor(url, model))
      return {}
    },
  },
  {
    name: 'cn',
    turn: calls('Read'),
    isRefusedOnce: true,
    args: (model, text, { home }) => ['--config', continueFile(home, model), '-p', text],
    world: (url, model, { home }) => {
      // JSON is YAML.
      writeFileSync(continueFile(home, model), JSON.stringify(continueFor(url, model)))
      return {}
    },
  },
  {
    name: 'kilo',
    turn: calls('read'),
    isRefusedOnce: true,
    package: '@kilocode/cli@7.7.7',
    args: (_, text) => ['run', text],
    world: (url, model) => ({ KILO_CONFIG_CONTENT: JSON.stringify(opencodeFor(url, model)) }),
  },
  {
    name: 'aider',
    turn: edits,
    isRefusedOnce: true,
    module: 'aider',
    args: (model, text) => ['--model', `openai/${model}`, '--message', text, ...UNASKED],
    world: (url) => ({
      OPENAI_API_BASE: `${url}/v1`,
      OPENAI_API_KEY: KEY,
    }),
  },
]

/** No question, no look at the network, no colours. */
const UNASKED =
  '--no-git --yes-always --no-check-update --analytics-disable --no-show-model-warnings --no-pretty'.split(
    ' ',
  )

/** What is installed and run only when it is asked for by name. */
export const isByName = (agent: Agent): boolean =>
  agent.package !== undefined || agent.module !== undefined

/** Kilo is made of it. */
const opencodeFor = (url: string, model: string) => ({
  provider: {
    dragoman: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: KEY },
      models: { [model]: {} },
    },
  },
  model: `dragoman/${model}`,
  small_model: `dragoman/${model}`,
})

/** pi knows providers from a file alone. */
function piFolder(url: string, model: string, home: string): string {
  const folder = join(home, `pi-${model}`)
  const models = [{ id: model, name: model, reasoning: false, input: ['text'] }]
  const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: KEY, models }
  writeJson(folder, 'models', { providers: { dragoman: provider } })
  return folder
}

/** As `cline auth` writes it. */
function clineFor(url: string, model: string): object {
  const provider = 'openai-compatible'
  const settings = { provider, apiKey: KEY, model, baseUrl: `${url}/v1` }
  const entry = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
  return { version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } }
}

const continueFile = (home: string, model: string) => join(home, `continue-${model}.yaml`)

const continueFor = (url: string, model: string) => ({
  name: 'dragoman',
  version: '1.0.0',
  schema: 'v1',
  models: [
    { name: model, provider: 'openai', model, apiKey: KEY, apiBase: `${url}/v1`, roles: ['chat'] },
  ],
})

function writeJson(folder: string, name: string, value: object): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(value))
}
