import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { adapters } from '../../adapters/index.ts'
import { demoConfig } from '../../src/config/config.ts'
import { startProxy } from './chat.ts'
import { modelOver, startLong } from './long.ts'
import { FACTS, Model } from './model.ts'
import { pythonWith, type Program } from './programs.ts'
import { ended, npmInstall, SLOW_MS, type World } from './world.ts'

/** Official libraries of `responses` that the repository has not: they are installed into a project of their own. */

const FILES = resolve('test/clients/sdk')
const PROJECT = resolve('test/clients/node_modules/.sdk')
const PACKAGES = ['@openai/agents@0.20.0', 'openai@7.59.0', 'zod@4']
const PYTHON = {
  folder: '.python-sdk',
  module: 'agents',
  packages: ['openai-agents==0.24.0', 'openai[realtime]==3.57.0'],
}

/** What the agent of a session is to run, which it is shown before its first summary. */
const STEPS = [{ command: 'cat facts.txt', input: 1000 }]
const SUMMARIES = 3

/** Node finds packages from the folder of the file that asks for them. */
async function nodeProgram(name: string): Promise<Program> {
  mkdirSync(PROJECT, { recursive: true })
  if (!existsSync(join(PROJECT, 'node_modules/@openai/agents'))) npmInstall(PROJECT, PACKAGES)
  const file = join(PROJECT, name)
  copyFileSync(join(FILES, name), file)
  return { command: [process.execPath, file], environment: {} }
}

async function pythonProgram(name: string): Promise<Program> {
  const { command, environment } = await pythonWith(PYTHON)
  return { command: [...command, join(FILES, name)], environment }
}

/** A program that starts without arguments has its packages. One that does not is missed loudly. */
async function found(name: string, program: Program, world: World): Promise<Program | undefined> {
  const environment = { ...world.environment, ...program.environment }
  const { code, error } = await ended(program.command, { cwd: world.work, env: environment })
  if (code === 0) return { ...program, environment }
  console.log(`SKIPPED: ${name} cannot be installed here: ${error.slice(-200)}`)
  return undefined
}

async function ran({ command, environment }: Program, args: readonly string[], world: World) {
  const around = { cwd: world.work, env: environment, mostMs: SLOW_MS }
  const { code, out, error, ms } = await ended([...command, ...args], around)
  const isDone = code === 0 && out.includes('All is done.')
  const fault = `ended with ${String(code)}: ${(error || out).slice(-900)}`
  return { isDone, said: isDone ? `${ms} ms` : fault }
}

/** `openai` for Python on a socket, over the demo of each dialect. */
async function socketFailures(world: World): Promise<number> {
  const name = 'openai of Python on a socket'
  const program = await found(name, await pythonProgram('on_socket.py'), world)
  if (!program) return 0
  const { url, stop } = await startProxy({ ...demoConfig(), callers: 'open' }, world)
  let failed = 0
  for (const { dialect } of adapters) {
    const { isDone, said } = await ran(program, [url, `demo-${dialect}`], world)
    if (!isDone) failed += 1
    console.log(`${name} over ${dialect.padEnd(17)} ${said}`)
  }
  stop()
  return failed
}

/** The service that speaks the dialect itself keeps what the sessions name, which the stand-in does not. */
const FOREIGN = adapters.filter(({ dialect }) => dialect !== 'responses')

/** An agent whose session is summed up thrice: every fact from before the first is known behind the last. */
async function sessionFailures(name: string, program: Program, world: World): Promise<number> {
  const ready = await found(name, program, world)
  if (!ready) return 0
  const { url, models, close } = await startLong(world)
  let failed = 0
  for (const { dialect } of FOREIGN) {
    const model = new Model(STEPS)
    models.set(dialect, model)
    const args = [url, modelOver(dialect), FACTS.join(' ')]
    const { isDone, said } = await ran(ready, args, world)
    const { summaries, known } = model
    if (!isDone || summaries !== SUMMARIES || known !== FACTS.length) failed += 1
    console.log(
      `${name} over ${dialect.padEnd(17)} ${summaries} summaries, ${known} facts, ${said}`,
    )
  }
  close()
  return failed
}

export async function sdkFailures(world: World): Promise<number> {
  const socket = await socketFailures(world)
  const node = await sessionFailures('agents of Node', await nodeProgram('session.mjs'), world)
  const python = await pythonProgram('session.py')
  return socket + node + (await sessionFailures('agents of Python', python, world))
}
