import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Inside the repository, so that the library's dependencies are found; the command must need none. */
const OUT = 'dist/smoke'
const PACKAGE = `${OUT}/package`

rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })

/** Runs to the end and gives what it printed. */
function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

function packed(): void {
  run('npm', 'pack', '--ignore-scripts', '--pack-destination', OUT)
  run('tar', '-xf', run('sh', '-c', `echo ${OUT}/*.tgz`).trim(), '-C', OUT)
}

/** The command, away from any node_modules, answers a call through two dialects. */
async function commandWorks(): Promise<void> {
  const home = run('mktemp', '-d').trim()
  run('cp', `${PACKAGE}/dist/dragoman.js`, `${home}/dragoman.mjs`)
  const proxy = spawn(process.execPath, [`${home}/dragoman.mjs`, '--port', '0'], { cwd: home })
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let text = ''
      proxy.once('exit', () => reject(new Error(text)))
      proxy.stderr.on('data', (chunk) => (text += chunk))
      proxy.stdout.on('data', (chunk) => {
        text += chunk
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
        if (found) resolve(found[0])
      })
    })
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-messages', input: 'Hello' }),
    })
    if (response.status !== 200) throw new Error(`the command answered ${response.status}`)
  } finally {
    proxy.kill()
    rmSync(home, { recursive: true })
  }
}

/** A program that uses the library compiles against its types and runs. */
function libraryWorks(): void {
  const index = JSON.stringify(resolve(PACKAGE, 'dist/index.js'))
  const program = `import { createApp, translator } from 'dragoman'
const app = createApp({ upstreams: { a: { dialect: 'messages', url: 'http://127.0.0.1:9' } } })
const { body } = translator({ from: 'responses', to: 'messages' }).request({ model: 'm', input: 'Hello' })
const status: Promise<number> = Promise.resolve(app.fetch(new Request('http://x/healthz'))).then((r) => r.status)
if (!body || (await status) !== 200) throw new Error('the library does not work')
`
  writeFileSync(`${OUT}/program.ts`, program)
  writeFileSync(
    `${OUT}/program.mjs`,
    program.replace("'dragoman'", index).replace(': Promise<number>', ''),
  )
  writeFileSync(
    `${OUT}/tsconfig.json`,
    JSON.stringify({
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        lib: ['ES2024', 'DOM'],
        types: [],
        allowImportingTsExtensions: false,
        skipLibCheck: false,
        paths: { dragoman: ['./package/dist/types/src/index.d.ts'] },
      },
      files: ['program.ts'],
    }),
  )
  run('tsc', '-p', OUT)
  run(process.execPath, `${OUT}/program.mjs`)
}

packed()
await commandWorks()
libraryWorks()
rmSync(OUT, { recursive: true })
console.log('The package works: its command by itself, its library with its types.')
