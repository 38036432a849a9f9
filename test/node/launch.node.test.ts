import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyFolder, type Folder } from './command.ts'

/** A program that says what it was started with, asks the proxy once, and ends as it is told. */
const STAND_IN = `#!${process.execPath}
const { readFileSync, readdirSync, statSync, writeFileSync } = require('node:fs')
const { request } = require('node:http')
const { join } = require('node:path')
const env = { ...process.env }
const place = env.GEMINI_CLI_HOME ?? (/"(\\/[^"]*)\\/catalog.json"/.exec(process.argv.join(' ')) ?? [])[1] ??
  env.QWEN_CODE_SYSTEM_DEFAULTS_PATH?.replace(/\\/[^/]*$/, '') ?? (/(\\S*)\\/settings.json/.exec(process.argv.join(' ')) ?? [])[1]
const files = {}
if (place) for (const name of readdirSync(place, { recursive: true }))
  if (statSync(join(place, name)).isFile()) files[name] = readFileSync(join(place, name), 'utf8')
const said = { argv: process.argv.slice(2), env, place, mode: place && statSync(place).mode & 0o777, files, cwd: process.cwd(), pid: process.pid }
const url = /http:\\/\\/127\\.0\\.0\\.1:\\d+/.exec(JSON.stringify([said.argv, env]))[0]
const key = env.ANTHROPIC_AUTH_TOKEN ?? env.DRAGOMAN_KEY ?? env.GEMINI_API_KEY ?? env.ANTHROPIC_API_KEY ??
  JSON.parse(env.OPENCODE_CONFIG_CONTENT).provider.dragoman.options.apiKey
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + key }
const ask = (headers) => new Promise((settle, fail) =>
  request(url + '/v1/responses', { method: 'POST', headers }, (answer) => settle(answer.resume().statusCode)).on('error', fail)
    .end(JSON.stringify({ model: env.ASK ?? 'demo-messages', input: 'Hello' })))
const main = async () => {
  said.url = url
  said.answers = [await ask(headers), await ask({ 'content-type': 'application/json' })]
  const signals = []
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {
    signals.push(signal)
    writeFileSync(env.RECORD, JSON.stringify({ ...said, signals }))
    if (signal === env.END_ON) process.exit(Number(env.CODE))
  })
  writeFileSync(env.RECORD, JSON.stringify({ ...said, signals }))
  if (env.END_ON) setInterval(() => {}, 1000)
  else if (env.KILL) process.kill(process.pid, env.KILL)
  else process.exit(Number(env.CODE ?? 0))
}
main()
`

interface Said {
  argv: string[]
  env: Record<string, string>
  place?: string
  mode?: number
  files: Record<string, string>
  cwd: string
  pid: number
  url: string
  answers: number[]
  signals: string[]
}

const CLIENTS = ['claude', 'codex', 'gemini', 'opencode', 'qwen']
const FACTS = { contextWindow: 100_000, maxOutputTokens: 8000 }
const CONFIG = JSON.stringify({
  upstreams: {
    own: { dialect: 'messages', url: 'http://127.0.0.1:9', models: { big: FACTS } },
    other: { dialect: 'responses', url: 'http://127.0.0.1:9' },
  },
  routes: [
    { model: 'big', upstream: 'own' },
    { model: 'dragoman-small', upstream: 'other', as: 'tiny' },
  ],
})

let folder: Folder
let home: string
beforeEach(() => {
  folder = emptyFolder()
  home = join(folder.path, 'home')
  mkdirSync(join(folder.path, 'bin'))
  mkdirSync(home)
  mkdirSync(temporary())
  for (const name of CLIENTS) {
    writeFileSync(join(folder.path, 'bin', name), STAND_IN)
    chmodSync(join(folder.path, 'bin', name), 0o755)
  }
})
afterEach(() => folder.remove())

const temporary = () => join(folder.path, 'tmp')
const record = () => join(folder.path, 'record.json')
const said = (): Said => JSON.parse(readFileSync(record(), 'utf8'))
const world = (more: Record<string, string> = {}) => ({
  PATH: join(folder.path, 'bin'),
  HOME: home,
  TMPDIR: temporary(),
  RECORD: record(),
  ...more,
})
const launch = (args: string[], more?: Record<string, string>) =>
  folder.run(['launch', ...args], world(more))

/** Nothing is left: no folder of a launch, and nobody who listens. */
async function expectNothingLeft({ url, place }: Said): Promise<void> {
  await expect(fetch(`${url}/livez`)).rejects.toThrow()
  if (place) expect(existsSync(place)).toBe(false)
}

/** The window and the bound that a client was told, as far as it was. */
const KNOWN: Readonly<Record<string, (seen: Said) => readonly unknown[]>> = {
  claude: ({ env }) => [
    env['CLAUDE_CODE_MAX_CONTEXT_TOKENS'],
    env['CLAUDE_CODE_AUTO_COMPACT_WINDOW'],
    env['CLAUDE_CODE_MAX_OUTPUT_TOKENS'],
  ],
  codex: ({ argv, files }) => [
    argv.find((each) => each.startsWith('model_context_window='))?.split('=')[1],
    JSON.parse(files['catalog.json'] ?? '').models[0].context_window,
  ],
  gemini: ({ files }) => {
    const { model, modelConfigs } = JSON.parse(files['.gemini/settings.json'] ?? '')
    const [first] = modelConfigs.customOverrides
    return [
      Math.round(((model?.compressionThreshold ?? 0.5) / 0.5) * 1_048_576),
      first.modelConfig.generateContentConfig?.maxOutputTokens,
    ]
  },
  opencode: ({ env }) => {
    const { provider } = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')
    return Object.values(provider.dragoman.models['mine'].limit ?? {})
  },
  qwen: ({ env, files }) => [
    JSON.parse(files['defaults.json'] ?? '{}').model?.generationConfig.contextWindowSize,
    env['QWEN_CODE_MAX_OUTPUT_TOKENS'],
  ],
}
const routed = (as: string, models: object = {}) =>
  JSON.stringify({
    upstreams: { own: { dialect: 'messages', url: 'http://127.0.0.1:9', models } },
    routes: [{ model: 'mine', upstream: 'own', as }],
  })

describe('dragoman launch', () => {
  it.each(CLIENTS)('starts %s over a proxy of its own, which is gone with it', async (name) => {
    const { code, out, error } = await launch([name, '--', 'one', 'two words'], { CODE: '7' })
      .finished
    expect([code, out]).toEqual([7, ''])
    expect(error).toBe(
      'dragoman: nothing is configured, so upstreams in this process answer, and no model does\n',
    )
    const seen = said()
    expect(seen.answers).toEqual([200, 401])
    expect(seen.argv.slice(-2)).toEqual(['one', 'two words'])
    expect(seen.cwd).toBe(folder.path)
    if (seen.place) expect(seen.mode).toBe(0o700)
    await expectNothingLeft(seen)
  })

  it('tells Claude Code what it needs, and nothing that leads elsewhere', async () => {
    folder.write('dragoman.json', CONFIG)
    await launch(['claude'], {
      ANTHROPIC_API_KEY: 'sk-somebody',
      CLAUDE_CODE_USE_BEDROCK: '1',
      ANTHROPIC_CUSTOM_HEADERS: 'x-api-key: sk-somebody',
      HTTP_PROXY: 'http://proxy.invalid:1',
      NO_PROXY: 'corp.example',
    }).finished
    const { env, url } = said()
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: expect.stringMatching(/^[\w-]{43}$/),
      ANTHROPIC_MODEL: 'big',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'big',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'big',
      ANTHROPIC_DEFAULT_FABLE_MODEL: 'big',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'dragoman-small',
      CLAUDE_CODE_SUBAGENT_MODEL: 'big',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '100000',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000',
      CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1',
      NO_PROXY: 'corp.example,127.0.0.1,localhost',
      no_proxy: 'corp.example,127.0.0.1,localhost',
      HTTP_PROXY: 'http://proxy.invalid:1',
    })
    const gone = ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_USE_BEDROCK', 'ANTHROPIC_CUSTOM_HEADERS']
    // The upstream speaks its own dialect: the line of attribution is wanted there.
    for (const name of [...gone, 'CLAUDE_CODE_ATTRIBUTION_HEADER'])
      expect(env[name]).toBeUndefined()
    await launch(['claude', '--model', 'dragoman-small']).finished
    expect(said().env).toMatchObject({
      ANTHROPIC_MODEL: 'dragoman-small',
      CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
    })
  })

  const SECRET = 'a-secret-0123456789abcdef'

  it.each(['claude', 'codex'])(
    'keeps from %s what the configuration reads secrets from',
    async (name) => {
      const own = {
        dialect: 'messages',
        url: 'http://127.0.0.1:9',
        key: ['env:ONE_KEY', 'env:OTHER_KEY'],
        headers: { 'x-team': 'env:TEAM_TOKEN' },
        proxy: 'env:EGRESS',
      }
      folder.write('dragoman.json', JSON.stringify({ upstreams: { own }, state: { store: 'off' } }))
      const secrets = {
        ONE_KEY: SECRET,
        OTHER_KEY: `${SECRET}-2`,
        TEAM_TOKEN: SECRET,
        EGRESS: `http://me:${SECRET}@127.0.0.1:9`,
        DRAGOMAN_CALLER_KEYS: SECRET,
        DRAGOMAN_IMAGE_KEY: SECRET,
        DRAGOMAN_IMAGE_URL: 'http://images.invalid',
      }
      await launch([name, '--model', 'big'], { ...secrets, ANOTHER: 'kept' }).finished
      expect(said().env).toMatchObject({ ANOTHER: 'kept' })
      expect(JSON.stringify(said())).not.toContain(SECRET)
    },
  )

  it('keeps a configuration that stands in a variable from the client, and the short form', async () => {
    const upstreams = { own: { dialect: 'messages', url: 'http://127.0.0.1:9', key: SECRET } }
    await launch(['claude'], { DRAGOMAN_CONFIG: JSON.stringify({ upstreams }) }).finished
    expect(JSON.stringify(said().env)).not.toContain(SECRET)
    await launch(['claude'], {
      DRAGOMAN_DIALECT: 'messages',
      DRAGOMAN_URL: 'http://models.invalid',
      DRAGOMAN_KEY: 'env:MY_KEY',
      MY_KEY: SECRET,
    }).finished
    expect(JSON.stringify(said().env)).not.toContain(SECRET)
  })

  it.each([
    [100_000, '100000'],
    [99_999, undefined],
  ])('tells Claude Code a window that it can compact for: %d', async (contextWindow, told) => {
    const own = { dialect: 'messages', url: 'http://127.0.0.1:9', models: { m: { contextWindow } } }
    const routes = [{ model: 'm', upstream: 'own' }]
    folder.write('dragoman.json', JSON.stringify({ upstreams: { own }, routes }))
    await launch(['claude']).finished
    const { env } = said()
    expect(env['CLAUDE_CODE_MAX_CONTEXT_TOKENS']).toBe(String(contextWindow))
    expect(env['CLAUDE_CODE_AUTO_COMPACT_WINDOW']).toBe(told)
  })

  it('says again to Claude Code what settings of the user say otherwise, and leaves the file alone', async () => {
    mkdirSync(join(home, '.claude'))
    const file = join(home, '.claude/settings.json')
    const settings =
      '{ "env": { "ANTHROPIC_BASE_URL": "http://x", "CLAUDE_CODE_USE_VERTEX": "1" } }'
    writeFileSync(file, settings)
    await launch(['claude']).finished
    const { argv, files, place, url } = said()
    expect(argv).toEqual(['--settings', `${place}/settings.json`])
    expect(JSON.parse(files['settings.json'] ?? '')).toEqual({
      env: { ANTHROPIC_BASE_URL: url, CLAUDE_CODE_USE_VERTEX: '' },
    })
    expect(readFileSync(file, 'utf8')).toBe(settings)
    await expectNothingLeft(said())
  })

  it('tells Codex in arguments, the key in a variable, the models in a catalog', async () => {
    folder.write('dragoman.json', CONFIG)
    await launch(['codex', '--', 'exec', 'Hello']).finished
    const { argv, env, files, place, url } = said()
    expect(argv).toEqual([
      '-c',
      'model_provider="dragoman"',
      '-c',
      `model_providers.dragoman={name="dragoman",base_url="${url}/v1",wire_api="responses",env_key="DRAGOMAN_KEY",supports_websockets=true}`,
      '-c',
      `model_catalog_json="${place}/catalog.json"`,
      '-c',
      'model_context_window=100000',
      '-c',
      'model_auto_compact_token_limit=90000',
      '-m',
      'big',
      'exec',
      'Hello',
    ])
    expect(argv.join(' ')).not.toContain(env['DRAGOMAN_KEY'])
    expect(JSON.parse(files['catalog.json'] ?? '')).toMatchObject({
      models: [
        { slug: 'big', context_window: 100_000, base_instructions: expect.stringMatching(/./) },
        { slug: 'dragoman-small', context_window: 272_000 },
      ],
    })
  })

  it.each(['oauth-personal', 'gemini-api-key', undefined])(
    'gives Gemini CLI a profile of its own, whatever the user has chosen: %s',
    async (selectedType) => {
      folder.write('dragoman.json', CONFIG)
      const profile = join(home, '.gemini')
      mkdirSync(join(profile, 'commands'), { recursive: true })
      writeFileSync(join(profile, 'commands/mine.toml'), 'x')
      const settings = `// mine\n${JSON.stringify({ ui: { theme: 'Dracula' }, ...(selectedType && { security: { auth: { selectedType } } }) })}`
      writeFileSync(join(profile, 'settings.json'), settings)
      await launch(['gemini', '--small', 'dragoman-small'], { GOOGLE_GENAI_USE_VERTEXAI: 'true' })
        .finished
      const { env, files, place, url } = said()
      expect(env).toMatchObject({
        GEMINI_CLI_HOME: place,
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_MODEL: 'big',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      })
      expect(env['GOOGLE_GENAI_USE_VERTEXAI']).toBeUndefined()
      const own = JSON.parse(files['.gemini/settings.json'] ?? '')
      expect(own).toMatchObject({
        ui: { theme: 'Dracula' },
        security: { auth: { selectedType: 'gemini-api-key' } },
      })
      expect(own.model.compressionThreshold).toBeCloseTo(50_000 / 1_048_576)
      expect(own.modelConfigs.customOverrides).toContainEqual({
        match: { model: 'flash-lite' },
        modelConfig: { model: 'dragoman-small' },
      })
      expect(files['.gemini/commands/mine.toml']).toBe('x')
      expect(readFileSync(join(profile, 'settings.json'), 'utf8')).toBe(settings)
      expect(readdirSync(profile).toSorted()).toEqual(['commands', 'settings.json'])
      expect(existsSync(join(profile, 'commands/mine.toml'))).toBe(true)
      await expectNothingLeft(said())
    },
  )

  it('tells opencode all in one variable, beside what the user has in it', async () => {
    folder.write('dragoman.json', CONFIG)
    await launch(['opencode'], {
      OPENCODE_CONFIG_CONTENT: '{"theme":"dark","provider":{"mine":{}}}',
    }).finished
    const { env, url } = said()
    const content: unknown = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')
    expect(content).toMatchObject({
      theme: 'dark',
      provider: {
        mine: {},
        dragoman: {
          npm: '@ai-sdk/anthropic',
          options: { baseURL: `${url}/v1` },
          models: { big: { limit: { context: 100_000, output: 8000 } }, 'dragoman-small': {} },
        },
      },
      model: 'dragoman/big',
      small_model: 'dragoman/dragoman-small',
    })
  })

  it('tells Qwen Code in variables, the window and the small model in defaults', async () => {
    folder.write('dragoman.json', CONFIG)
    await launch(['qwen'], { ANTHROPIC_AUTH_TOKEN: 'somebody' }).finished
    const { argv, env, files, url } = said()
    expect(argv).toEqual(['--auth-type', 'anthropic'])
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_MODEL: 'big',
      QWEN_CODE_MAX_OUTPUT_TOKENS: '8000',
    })
    expect(env['ANTHROPIC_AUTH_TOKEN']).toBeUndefined()
    expect(JSON.parse(files['defaults.json'] ?? '')).toEqual({
      model: { generationConfig: { contextWindowSize: 100_000 } },
      fastModel: 'dragoman-small',
    })
  })

  it.each(CLIENTS)(
    'tells %s what the table knows of the model, and says when it knows nothing',
    async (name) => {
      const told = async (text: string) => {
        folder.write('dragoman.json', text)
        const { error } = await launch([name]).finished
        const numbers = KNOWN[name]?.(said()).filter((each) => each !== undefined) ?? []
        return { error, numbers: new Set(numbers.map(Number)) }
      }
      const hasBound = name !== 'codex'
      const dated = await told(routed('us.anthropic.claude-sonnet-4-5-20250929-v1:0'))
      expect(dated).toEqual({
        error: '',
        numbers: new Set([200_000, ...(hasBound ? [64_000] : [])]),
      })
      const is = { 'arn-1': { is: 'claude-haiku-4-5', contextWindow: 150_000 } }
      const configured = await told(routed('arn-1', is))
      expect(configured.numbers).toEqual(new Set([150_000, ...(hasBound ? [64_000] : [])]))
      const nothing = await told(routed('unheard'))
      expect(nothing.error).toMatch(
        /^dragoman: neither the configuration nor the table of models knows the context window and output bound of mine, so .+ goes by what it assumes; say contextWindow and maxOutputTokens in upstreams\.own\.models\."unheard"\n$/,
      )
      const assumed = { codex: [272_000], gemini: [1_048_576] }[name] ?? []
      expect(nothing.numbers).toEqual(new Set(assumed))
      const half = await told(routed('unheard', { unheard: { contextWindow: 100_000 } }))
      expect(half.error).toContain('knows the output bound of mine')
    },
    60_000,
  )

  it('leaves room for the question where a model may write all that it can read', async () => {
    const all = { contextWindow: 200_000, maxOutputTokens: 200_000 }
    folder.write('dragoman.json', routed('unheard', { unheard: all }))
    await launch(['claude']).finished
    expect(said().env['CLAUDE_CODE_MAX_OUTPUT_TOKENS']).toBe('100000')
  })

  it('leaves to Codex the window of a model that it knows by its name', async () => {
    const bundled = ['gpt-5.5', 'gpt-5.4'].map((slug) => ({ slug, context_window: 272_000 }))
    const program = join(folder.path, 'lib/node_modules/@openai/codex/codex')
    mkdirSync(join(program, '..'), { recursive: true })
    writeFileSync(
      program,
      STAND_IN.replace(
        '\n',
        `\nif (process.argv.includes('--bundled')) { console.log(${JSON.stringify(JSON.stringify({ models: bundled }))}); process.exit(0) }\n`,
      ),
    )
    chmodSync(program, 0o755)
    rmSync(join(folder.path, 'bin/codex'))
    symlinkSync(program, join(folder.path, 'bin/codex'))
    const upstreams = { vendor: { dialect: 'responses', url: 'http://127.0.0.1:9' } }
    const routes = [
      { model: 'gpt-5.5', upstream: 'vendor' },
      { model: 'gpt-5.4', upstream: 'vendor', as: 'gpt-4.1' },
    ]
    folder.write('dragoman.json', JSON.stringify({ upstreams, routes }))
    await launch(['codex']).finished
    const { argv, files } = said()
    expect(argv.join(' ')).not.toContain('model_context_window')
    expect(JSON.parse(files['catalog.json'] ?? '')).toMatchObject({
      models: [
        { slug: 'gpt-5.5', context_window: 272_000 },
        { slug: 'gpt-5.4', context_window: 1_047_576 },
      ],
    })
  })

  it('leaves an interrupt to the client, passes on what ends it, and ends as it ends', async () => {
    const command = launch(['claude'], { END_ON: 'SIGTERM', CODE: '5' })
    await expect.poll(() => existsSync(record())).toBe(true)
    command.child.kill('SIGINT')
    await new Promise((wake) => setTimeout(wake, 200))
    expect(said().signals).toEqual([])
    expect((await fetch(`${said().url}/livez`)).status).toBe(200)
    command.child.kill('SIGTERM')
    expect((await command.finished).code).toBe(5)
    expect(said().signals).toEqual(['SIGTERM'])
    await expectNothingLeft(said())
  })

  it.each([
    ['SIGALRM', 142],
    ['SIGKILL', 137],
  ])('says as a shell does that %s ended the client', async (KILL, code) => {
    expect((await launch(['qwen'], { KILL }).finished).code).toBe(code)
  })

  it('leaves a client without its proxy nothing to wait for, and its folder to the next one', async () => {
    const command = launch(['gemini'], { END_ON: 'SIGTERM', CODE: '0' })
    await expect.poll(() => existsSync(record())).toBe(true)
    const { url, place = '', env, pid } = said()
    command.child.kill('SIGKILL')
    await expect.poll(() => command.child.signalCode).toBe('SIGKILL')
    process.kill(pid, 'SIGKILL')
    await expect(fetch(`${url}/livez`)).rejects.toThrow()
    expect(existsSync(place)).toBe(true)
    expect(env['GEMINI_CLI_HOME']).toBe(place)
    await launch(['claude']).finished
    expect(existsSync(place)).toBe(false)
  })

  it('shows what it would do, as lines of a shell that do it, and starts nothing', async () => {
    for (const name of CLIENTS) {
      const { code, out, error } = await launch([name, '--print', '--port', '9000', '--', "it's"])
        .finished
      expect([code, error]).toEqual([0, ''])
      expect(out).toContain('http://127.0.0.1:9000')
      expect(out).toMatch(new RegExp(`^${name} .*'it'\\\\''s'$`, 'm'))
    }
    expect(existsSync(record())).toBe(false)
    expect(readdirSync(temporary())).toEqual([])
  })

  it('writes its log to a file where it is asked to, and nowhere else', async () => {
    const { out } = await launch(['codex', '--log', 'my.log']).finished
    expect(out).toBe('')
    const lines = readFileSync(join(folder.path, 'my.log'), 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).path).filter(Boolean)).toEqual([
      '/v1/responses',
      '/v1/responses',
    ])
    expect(statSync(join(folder.path, 'my.log')).mode & 0o777).toBe(0o600)
  })

  it.skipIf(!existsSync('/dev/full'))(
    'ends nobody whose log cannot be written any more',
    async () => {
      symlinkSync('/dev/full', join(folder.path, 'full.log'))
      expect((await launch(['codex', '--log', 'full.log'], { CODE: '3' }).finished).code).toBe(3)
      expect(said().answers).toEqual([200, 401])
    },
  )

  it('says that a client is there and cannot be started', async () => {
    const program = join(folder.path, 'bin', 'opencode')
    writeFileSync(program, '#!/nowhere/interpreter\n')
    folder.write('dragoman.json', CONFIG)
    expect(await launch(['opencode']).finished).toEqual({
      code: 126,
      out: '',
      error: `dragoman: ${program} cannot be started (ENOENT)\n`,
    })
    expect(readdirSync(temporary())).toEqual([])
  })

  it('shows that requests to this machine go past a proxy of the environment', async () => {
    const { out } = await launch(['claude', '--print'], {
      HTTPS_PROXY: 'http://proxy.invalid:3128',
      no_proxy: 'a.example',
    }).finished
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(out).toContain(`export ${name}=a.example,127.0.0.1,localhost\n`)
  })

  it('says how a client is installed that is not there', async () => {
    const { code, error } = await launch(['codex'], { PATH: '/nowhere' }).finished
    expect([code, error]).toEqual([
      127,
      'dragoman: codex is not on PATH; npm install -g @openai/codex installs it\n',
    ])
  })

  it.each([
    [['vim'], 'options: launch expects one of claude, codex, gemini, opencode, qwen; see --help'],
    [['claude', 'x'], 'options: unexpected "x"; see --help'],
    [['claude', '--host', '0.0.0.0'], '--host: launch listens on 127.0.0.1 alone'],
    [['claude', '--watch'], 'options: "--watch" belongs to serve; see --help'],
    [['claude', '--workers', '2'], 'options: "--workers" belongs to serve and check; see --help'],
    [['claude', '--log', 'nowhere/my.log'], 'nowhere/my.log: cannot be written (ENOENT)'],
    [['claude', '--model', 'none'], '--model: no route takes the model "none"'],
    [['claude', '--small', 'none'], '--small: no route takes the model "none"'],
    [
      ['codex', '--', '-c', 'model_provider="x"'],
      'options: launch itself tells codex what "model_provider" would; see --help',
    ],
    [
      ['codex', '--', '--profile=x'],
      'options: launch itself tells codex what "--profile" would; see --help',
    ],
    [
      ['claude', '--', '--settings', '{}'],
      'options: launch itself tells claude what "--settings" would; see --help',
    ],
    [
      ['qwen', '--', '--auth-type', 'openai'],
      'options: launch itself tells qwen what "--auth-type" would; see --help',
    ],
  ])('refuses %j in one line', async (args, message) => {
    folder.write('dragoman.json', CONFIG)
    const finished = await launch(args).finished
    expect(finished).toEqual({ code: 78, out: '', error: `dragoman: ${message}\n` })
  })

  it('refuses an upstream that wants the own key of its caller, and settings of a folder that win', async () => {
    folder.write(
      'dragoman.json',
      '{"upstreams":{"a":{"dialect":"messages","url":"http://127.0.0.1:9","key":"caller"}}}',
    )
    // The second one leaves the choice of a model to the client, and there is none that would do.
    for (const args of [['claude', '--model', 'x'], ['claude']])
      expect(await launch(args).finished).toMatchObject({
        code: 78,
        error: expect.stringContaining('upstreams.a.key: a launched client has a one-time key'),
      })
    folder.write('dragoman.json', CONFIG)
    mkdirSync(join(folder.path, '.gemini'))
    folder.write('.gemini/settings.json', '{"security":{"auth":{"selectedType":"oauth-personal"}}}')
    expect(await launch(['gemini']).finished).toMatchObject({
      code: 78,
      error: expect.stringContaining('the settings of this folder choose another way to sign in'),
    })
  })
})
