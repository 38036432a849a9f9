import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Agent } from './agents.ts'
import { install, isInBin, type World } from './world.ts'

export interface Program {
  command: string[]
  environment: Record<string, string>
}

/** Asks of each agent once whether it starts. One that cannot be installed is missed loudly. */
export function programFinder(world: World) {
  const find = async (agent: Agent): Promise<Program | undefined> => {
    const program = await programOf(agent, world)
    if (await world.starts(program.command, program.environment)) return program
    console.log(`SKIPPED: ${agent.name} cannot be installed here`)
    return undefined
  }
  const found = new Map<Agent, Promise<Program | undefined>>()
  return (agent: Agent) => {
    const program = found.get(agent) ?? find(agent)
    found.set(agent, program)
    return program
  }
}

async function programOf(agent: Agent, { environment }: World): Promise<Program> {
  const { name, module } = agent
  if (agent.package !== undefined && !isInBin(name)) install(agent.package)
  if (module === undefined) return { command: [name], environment }
  const { command, environment: more } = await pythonWith(AIDER)
  return { command: [...command, '-m', module], environment: { ...environment, ...more } }
}

/** Packages of Python, one of whose modules shows that they are there. */
export interface PythonPackages {
  folder: string
  module: string
  packages: readonly string[]
}

const AIDER: PythonPackages = {
  folder: '.python',
  module: 'aider',
  packages: ['aider-chat==0.86.2'],
}
/** Where the packages of Node are, so that they are no part of the repository either. */
const PARENT = resolve('test/clients/node_modules')
const PIP = '-m pip install --quiet --disable-pip-version-check --only-binary :all:'
const PIP_MS = 600_000

const run = promisify(execFile)

/** The Python for the packages, which are installed where they are missing and where that is possible. */
export async function pythonWith({ folder, module, packages }: PythonPackages): Promise<Program> {
  const target = join(PARENT, folder)
  const environment = { PYTHONPATH: target }
  try {
    const asked = ['-c', 'import sys; print(sys.executable)']
    const python = (await run('python3', asked)).stdout.trim()
    const args = [...PIP.split(' '), '--target', target, ...packages]
    if (!existsSync(join(target, module))) await run(python, args, { timeout: PIP_MS })
    return { command: [python], environment }
  } catch {
    return { command: ['python3'], environment }
  }
}
