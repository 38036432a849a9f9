import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { ended, type World } from './world.ts'

/** One command each, over a dialect that is not the client's own. */
const FIRSTS = [
  { name: 'claude', npm: '@anthropic-ai/claude-code', model: 'demo-responses', ask: ['-p'] },
  {
    name: 'codex',
    npm: '@openai/codex',
    model: 'demo-messages',
    ask: ['exec', '--skip-git-repo-check'],
  },
  { name: 'gemini', npm: '@google/gemini-cli', model: 'demo-chat-completions', ask: ['-p'] },
] as const

const MOST_MS = 60_000

/**
 * From an empty home and an empty folder to the first reply of each agent: npx takes the packed proxy and the agent,
 * the proxy launches the agent, and no file was there to be edited.
 */
export async function timed(world: World): Promise<void> {
  const tarball = packed(world)
  let slow = 0
  for (const { name, npm, model, ask } of FIRSTS) {
    const launch = ['dragoman', 'launch', name, '--model', model, '--', ...ask, 'Hello there']
    const command = ['npx', '--yes', '-p', tarball, '-p', npm, ...launch]
    const said = /You said: "?Hello there/
    const { saidMs, code, out, error } = await ended(command, {
      cwd: world.work,
      env: { ...world.environment, ...registry },
      said,
    })
    if (saidMs === undefined || saidMs > MOST_MS) slow += 1
    const found =
      saidMs === undefined
        ? `none: ended with ${String(code)}, ${(error || out).slice(-400)}`
        : `${(saidMs / 1000).toFixed(1)} s`
    console.log(`${name.padEnd(7)} over ${model.padEnd(22)} first reply after ${found}`)
  }
  const made = filesIn(world.work)
  console.log(
    `files in the folder of the project: ${made.length === 0 ? 'none' : made.join(', ')}; edited by hand: 0`,
  )
  if (slow > 0) throw new Error(`${slow} took longer than ${MOST_MS / 1000} s, or did not answer`)
}

/** Where npm fetches from, and whom it trusts, is the machine's to say; its cache is in the empty home. */
const { PATH = '', NODE_EXTRA_CA_CERTS } = process.env
const registry = {
  PATH,
  ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
  npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
}

/** What the registry would have: built, and packed. */
function packed({ home }: World): string {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', home]
  const name = execFileSync('npm', args, { encoding: 'utf8' }).trim()
  const path = join(home, name)
  console.log(`the package is ${Math.round(statSync(path).size / 1000)} kB`)
  return path
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
