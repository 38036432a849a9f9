import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseJsonc } from '../../src/config/jsonc.ts'
import { CLOUD_UPSTREAMS } from '../../src/node/init/clouds.ts'
import { parseYaml } from '../../src/node/init/yaml.ts'
import { measureGrowth, MOST } from '../growth/cpu.ts'
import { emptyFolder, type Folder } from './command.ts'

const hasScript = spawnSync('script', ['--version']).status === 0

let folder: Folder
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const KEYS = {
  ANTHROPIC: 'anthropic-key-0123456789',
  OPENAI: 'openai-key-0123456789',
  MASTER: 'master-key-0123456789',
}
const text = (name = 'dragoman.json') => readFileSync(join(folder.path, name), 'utf8')
const config = () => parseJsonc(text()).value

/** That nobody knows the models of these files is no fault of theirs. */
const withoutModels = (error: string): string =>
  error.replaceAll(/^.*(?:is no known model|models are not known either).*\n/gm, '')

async function expectChecked(environment: Record<string, string> = KEYS): Promise<string> {
  const checked = await folder.run(['check'], environment).finished
  expect([checked.code, withoutModels(checked.error)]).toEqual([0, ''])
  expect(checked.error.split('\n').length).toBeLessThan(8)
  return checked.out
}

const LITELLM = `
# the proxy of the team
model_list:
  - model_name: claude-main      # an alias
    litellm_params:
      model: anthropic/claude-opus-4-8
      api_key: os.environ/ANTHROPIC
      extra_headers: {"x-team": "a"}
    model_info:
      max_input_tokens: 200000
      max_output_tokens: 64000
  - model_name: "gpt-*"
    litellm_params: { model: "openai/gpt-*", api_key: os.environ/OPENAI }
  - model_name: claude-main
    litellm_params:
      model: anthropic/claude-sonnet-5
  - model_name: on-bedrock
    litellm_params:
      model: bedrock/anthropic.claude
  - model_name: qwen3
    tpm: 1000
    litellm_params: { model: ollama_chat/qwen3, api_base: "http://localhost:11434/" }
general_settings:
  master_key: os.environ/MASTER
  database_url: 'postgres://x'
router_settings:
  routing_strategy: simple-shuffle
`

const LITELLM_ODD = `
model_list:
  - model_name: elsewhere
    litellm_params: { model: openai/x, api_base: os.environ/BASE, api_key: os.environ/OPENAI, rpm: 5 }
  - model_name: "*"
    litellm_params: { model: "openai/*", api_key: os.environ/OPENAI }
  - model_name: "gpt-*"
    litellm_params: { model: "openai/gpt-*", api_key: os.environ/OPENAI }
  - model_name: sonnet
    litellm_params: { model: claude-sonnet-5 }
  - model_name: unknown
    litellm_params: { model: mystery, api_key: os.environ/OPENAI }
  - model_name: vectors
    litellm_params: { model: openai/text-embedding-3-small }
    model_info: { mode: embedding }
  - model_name: anthropic/*
    litellm_params: { model: anthropic/* }
  - model_name: none
  - model_name: pictures
    litellm_params: { model: azure/, api_base: "https://one.openai.azure.com/" }
litellm_settings:
  fallbacks: [{ sonnet: [elsewhere] }]
router_settings:
  model_group_alias: { best: sonnet, lost: nothing }
general_settings:
  master_key: sk-1234
`

const CCR = `{
  // claude-code-router
  "APIKEY": "$MASTER", "PORT": 3456, "LOG": true,
  "Providers": [
    { "name": "claude", "api_base_url": "https://one.example/v1/messages", "api_key": "\${ANTHROPIC}", "models": ["claude-opus-4-8", "claude-haiku-5"],
      "transformer": { "use": ["maxtoken"], "claude-haiku-5": { "use": ["tooluse"] } } },
    { "name": "gemini", "api_base_url": "https://two.example/v1beta/models/", "api_key": "$OPENAI", "models": ["gemini-3-pro"] }
  ],
  "Router": { "default": "claude,claude-opus-4-8", "background": "gemini,gemini-3-pro", "longContext": "gemini,gemini-3-pro", "longContextThreshold": 80000,
    "webSearch": "gemini,gemini-3-flash", "think": "claude,claude-opus-5", "image": "gemini,gemini-3-pro" }
}`

const provider = (name: string, model: string) =>
  `{ "name": "${name}", "api_base_url": "https://${name}.example/v1/messages", "models": ["${model}"] }`

const CLIPROXYAPI = `
port: 8317
auth-dir: "~/.cli-proxy-api"
api-keys:
  - "short"
proxy-url: http://proxy.example:3128
claude-api-key:
- api-key: sk-first-0123456789
  base-url: "https://one.example"
  models:
  - name: claude-opus-4-8
    alias: best
    max-context-length: 200000
- api-key: sk-second-0123456789
  base-url: "https://one.example"
  weight: 3
  proxy-url: socks5://proxy.example:1080
  headers: { x-team: a, x-session: $X-Session }
  excluded-models: ["*-preview"]
generative-language-api-key: [AIza-0123456789]
openai-compatibility:
  - name: off
    disabled: true
    base-url: https://off.example/v1
  - name: two
    base-url: https://two.example/v1
    api-keys: [old-key-0123456789]
    prefix: team
    models: [{ name: kimi-k2, alias: k2 }, { name: kimi-k3, alias: k2 }]
`

const deployment = (name: string, more = '') =>
  `  - { model_name: ${name}, litellm_params: { model: azure/${name}-eu, api_base: "https://one.openai.azure.com/", api_version: "2024-10-21"${more} } }`

const entryOf = (name: string, params: string) =>
  `  - { model_name: ${name}, litellm_params: { model: ${params} } }`

describe('dragoman init', () => {
  it('writes a first configuration from options, which check takes', async () => {
    const args = [
      '--dialect',
      'messages',
      '--url',
      'https://one.example/v1',
      '--key',
      'env:ANTHROPIC',
    ]
    const { code, out, error } = await folder.run(['init', ...args]).finished
    expect([code, error]).toEqual([0, ''])
    expect(out).toContain('wrote dragoman.json: 1 upstream, 1 route')
    expect(out).toContain('set before the start: ANTHROPIC')
    expect(text().split('\n').length).toBeLessThanOrEqual(40)
    expect(statSync(join(folder.path, 'dragoman.json')).mode & 0o777).toBe(0o600)
    expect(await expectChecked()).toMatch(
      /upstream +main +messages +https:\/\/one\.example\/v1 +for \*/,
    )
  })

  it.each([
    ['bedrock', 'set before the start: AWS_BEARER_TOKEN_BEDROCK'],
    ['bedrock-invoke', 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY'],
    ['vertex-gemini', 'write out in its url: PROJECT'],
  ])('writes the configuration of a service that it knows by name: %s', async (name, words) => {
    const { code, out, error } = await folder.run(['init', '--cloud', name]).finished
    expect([code, error]).toEqual([0, ''])
    expect(out).toContain(words)
    expect(parseJsonc(text()).value).toMatchObject({
      upstreams: { main: CLOUD_UPSTREAMS.get(name) },
    })
  })

  it('names the services where none is called so', async () => {
    const { code, error } = await folder.run(['init', '--cloud', 'bedrok']).finished
    expect(code).toBe(78)
    expect(error).toContain('did you mean "bedrock"?')
  })

  it.skipIf(!hasScript)('asks again at a terminal for what check would refuse', async () => {
    const line = `${process.execPath} ${resolve('src/node.ts')} init`
    const terminal = spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder.path })
    let said = ''
    terminal.stdout.on('data', (chunk) => (said += chunk))
    const answer = async (question: string, text: string) => {
      await expect.poll(() => said).toContain(question)
      said = ''
      terminal.stdin.write(`${text}\n`)
    }
    await answer('speak', 'anthropic')
    await answer('did you mean "messages"?', 'messages')
    await answer('Its address', '')
    await answer('expected a URL', 'https://one.example')
    await answer('Its key', '"sk-quoted-0123456789"')
    await answer('no quotes around it', 'env:NOT_SET_YET')
    await expect.poll(() => said).toContain('wrote dragoman.json')
    expect(config()).toMatchObject({
      upstreams: {
        main: { dialect: 'messages', url: 'https://one.example', key: 'env:NOT_SET_YET' },
      },
    })
  })

  const TYPED = 'sk-typed-0123456789'

  it.skipIf(!hasScript).each([
    ['MY_KEY', 'env:MY_KEY'],
    ['', TYPED],
  ])('shows nothing of a key that is typed, and offers a variable: %j', async (name, key) => {
    const line = `${process.execPath} ${resolve('src/node.ts')} init --dialect messages --url https://one.example`
    const terminal = spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder.path })
    let said = ''
    terminal.stdout.on('data', (chunk) => (said += chunk))
    await expect.poll(() => said, { timeout: 20_000 }).toContain('Its key')
    terminal.stdin.write(`${TYPED.slice(0, 9)}`)
    terminal.stdin.write(`${TYPED.slice(9)}\n`)
    await expect.poll(() => said).toContain('A variable that shall hold it')
    terminal.stdin.write('no name\n')
    await expect.poll(() => said).toContain('expected a name such as')
    terminal.stdin.write(`${name}\n`)
    await expect.poll(() => said).toContain('wrote dragoman.json')
    expect(said).not.toContain('sk-typed')
    expect(said).toContain(
      name === '' ? '"env:NAME" in the place of one' : 'set before the start: MY_KEY',
    )
    expect(config()).toMatchObject({ upstreams: { main: { key } } })
  })

  it('says of a key that was given as it is which variable could take its place', async () => {
    const args = ['init', '--dialect', 'messages', '--url', 'https://one.example', '--key', TYPED]
    const { out, error } = await folder.run(args, { MY_KEY: TYPED }).finished
    expect(out).toContain(
      'dragoman.json holds 1 key; "env:MY_KEY" in the place of one reads it from a variable',
    )
    expect(out + error).not.toContain(TYPED)
  })

  it('never writes over a file', async () => {
    folder.write('dragoman.json', 'mine')
    const args = ['init', '--dialect', 'messages', '--url', 'https://one.example']
    expect(await folder.run(args).finished).toEqual({
      code: 78,
      out: '',
      error: 'dragoman: dragoman.json: is there already, and init never writes over a file\n',
    })
    expect(text()).toBe('mine')
    expect((await folder.run([...args, '--config', 'other.json']).finished).code).toBe(0)
    expect(existsSync(join(folder.path, 'other.json'))).toBe(true)
  })

  it.each([
    [[], 'options: init expects --dialect and --url where there is no terminal to ask'],
    [['--dialect', 'messages'], 'options: init expects --url where there is no terminal to ask'],
    [['--dialect', 'klingon', '--url', 'https://x.example'], /^--dialect: expected one /],
    [['--dialect', 'messages', '--url', 'x'], /^--url: expected a URL/],
    [['--from', 'nginx', 'x'], '--from: expected one of litellm, ccr, cliproxyapi'],
    [['--from', 'ccr'], 'options: init --from expects a FILE'],
    [['config.yaml'], 'options: init takes a FILE with --from alone; see --help'],
    [['--from', 'ccr', 'none.json'], 'none.json: no such file'],
    [
      ['--from', 'litellm', 'anchor.yaml'],
      'anchor.yaml:1: anchors, aliases and tags are not read here',
    ],
    [['--from', 'litellm', 'empty.yaml'], 'empty.yaml: has nothing that can be converted'],
    [['--model', 'x'], 'options: "--model" belongs to launch; see --help'],
  ])('waits for nobody and refuses %j in one line', async (args, message) => {
    folder.write('anchor.yaml', 'model_list: &all\n')
    folder.write('empty.yaml', '')
    const { code, out, error } = await folder.run(['init', ...args]).finished
    expect([code, out]).toEqual([78, ''])
    expect(error.split('\n')).toHaveLength(2)
    expect(error.replace('dragoman: ', '').trim()).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
    expect(existsSync(join(folder.path, 'dragoman.json'))).toBe(false)
  })

  it('converts a file of LiteLLM, and says what could not be', async () => {
    folder.write('config.yaml', LITELLM)
    const { code, out } = await folder.run(['init', '--from', 'litellm', 'config.yaml'], KEYS)
      .finished
    expect(code).toBe(0)
    expect(config()).toEqual({
      upstreams: {
        anthropic: {
          dialect: 'messages',
          url: 'https://api.anthropic.com',
          key: 'env:ANTHROPIC',
          models: { 'claude-opus-4-8': { contextWindow: 200_000, maxOutputTokens: 64_000 } },
        },
        'anthropic-2': {
          dialect: 'messages',
          url: 'https://api.anthropic.com',
          key: 'env:ANTHROPIC_API_KEY',
        },
        openai: {
          dialect: 'responses',
          url: 'https://api.openai.com/v1',
          key: 'env:OPENAI',
          profile: 'openai',
        },
        ollama_chat: {
          dialect: 'chat-completions',
          url: 'http://localhost:11434/v1',
          profile: 'ollama',
        },
      },
      routes: [
        {
          model: 'claude-main',
          upstream: [
            { name: 'anthropic', as: 'claude-opus-4-8' },
            { name: 'anthropic-2', as: 'claude-sonnet-5' },
          ],
          pick: 'weighted',
        },
        { model: 'qwen3', upstream: 'ollama_chat' },
        { model: 'gpt-*', upstream: 'openai' },
      ],
      callers: { keys: ['env:MASTER'] },
    })
    for (const line of [
      'model_list "claude-main": extra_headers',
      'model_list "on-bedrock": "bedrock"',
      'model_list "qwen3": tpm',
      'general_settings.database_url',
      'router_settings',
    ])
      expect(out).toContain(line)
    expect(out.split('\n').length).toBeLessThanOrEqual(40)
    const set = { ...KEYS, ANTHROPIC_API_KEY: 'another-key-0123456789' }
    const checked = await folder.run(['check'], set).finished
    expect([checked.code, withoutModels(checked.error)]).toEqual([
      0,
      expect.stringMatching(/^[^\n]*warning[^\n]*\n$/),
    ])
  })

  it('sends the key of a model of LiteLLM to its own service, and keeps stars behind names', async () => {
    folder.write('config.yaml', LITELLM_ODD)
    const { code, out } = await folder.run(['init', '--from', 'litellm', 'config.yaml']).finished
    expect(code).toBe(0)
    expect(config()).toEqual({
      upstreams: {
        'openai-2': {
          dialect: 'responses',
          url: 'https://api.openai.com/v1',
          key: 'env:OPENAI',
          profile: 'openai',
        },
        anthropic: {
          dialect: 'messages',
          url: 'https://api.anthropic.com',
          key: 'env:ANTHROPIC_API_KEY',
        },
      },
      routes: [
        { model: 'sonnet', upstream: 'anthropic', as: 'claude-sonnet-5' },
        { model: 'best', upstream: 'anthropic', as: 'claude-sonnet-5' },
        { model: 'gpt-*', upstream: 'openai-2' },
        { model: '*', upstream: 'openai-2' },
      ],
    })
    for (const line of [
      'model_list "elsewhere": rpm',
      'openai: url: expected a URL',
      'model_list "unknown": no service is named in "mystery"',
      'model_list "vectors": embedding is no conversation',
      'model_list "anthropic/*": a star',
      'model_list "none", model_list "pictures": has no model',
      'litellm_settings.fallbacks: a route may name several',
      'model_group_alias "lost"',
      'without them anybody on this machine may call',
    ])
      expect(out).toContain(line)
  })

  it('asks the clouds of LiteLLM as docs/clouds.md does', async () => {
    const aws = 'aws_access_key_id: os.environ/ID, aws_secret_access_key: os.environ/SECRET'
    const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
    folder.write(
      'config.yaml',
      [
        'model_list:',
        entryOf('signed', `bedrock/${claude}, aws_region_name: eu-west-1, ${aws}`),
        entryOf('env', `bedrock/invoke/${claude}, aws_region_name: eu-west-1`),
        entryOf('bearer', `bedrock/us-west-2/${claude}, api_key: os.environ/BEARER`),
        entryOf('gpt', 'bedrock/openai.gpt-oss-120b-1:0, aws_region_name: us-east-1'),
        entryOf(
          'claude',
          'vertex_ai/claude-sonnet-4-5@20250929, vertex_project: p, vertex_location: global',
        ),
        entryOf(
          'gemini',
          'vertex_ai/gemini-3-pro, vertex_project: p, vertex_location: eu, vertex_credentials: /a/b.json',
        ),
        entryOf(
          'usual',
          'vertex_ai/gemini-3-pro, vertex_project: p, vertex_credentials: os.environ/ACCOUNT',
        ),
        entryOf('llama', 'bedrock/meta.llama3-8b, aws_region_name: us-east-1'),
        entryOf('nowhere', `bedrock/${claude}`),
        entryOf('nobody', 'vertex_ai/gemini-3-pro'),
      ].join('\n'),
    )
    const { out } = await folder.run(['init', '--from', 'litellm', 'config.yaml']).finished
    const invoke = { dialect: 'messages', profile: 'bedrock-invoke' }
    const eu = 'https://bedrock-runtime.eu-west-1.amazonaws.com'
    const keys = { accessKeyId: 'env:ID', secretAccessKey: 'env:SECRET' }
    const google = 'v1/projects/p/locations'
    expect(config()).toMatchObject({
      upstreams: {
        bedrock: { ...invoke, url: eu, auth: { aws: keys } },
        'bedrock-2': { ...invoke, url: eu, auth: { aws: 'env' } },
        'bedrock-3': {
          ...invoke,
          url: 'https://bedrock-runtime.us-west-2.amazonaws.com',
          key: 'env:BEARER',
          auth: 'bearer',
        },
        'bedrock-4': {
          dialect: 'responses',
          url: 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1',
          auth: { aws: 'env' },
        },
        vertex_ai: {
          dialect: 'messages',
          url: `https://aiplatform.googleapis.com/${google}/global/publishers/anthropic`,
          auth: { google: 'metadata' },
        },
        'vertex_ai-2': {
          dialect: 'generate-content',
          url: `https://aiplatform.eu.rep.googleapis.com/${google}/eu/publishers/google`,
          auth: { google: 'file:/a/b.json' },
        },
        'vertex_ai-3': {
          url: `https://us-central1-aiplatform.googleapis.com/${google}/us-central1/publishers/google`,
          auth: { google: 'env:ACCOUNT' },
        },
      },
    })
    expect(config()).toMatchObject({ routes: { 0: { model: 'signed', as: claude }, length: 7 } })
    for (const line of [
      'model_list "llama": "meta.llama3-8b" speaks Converse alone',
      'model_list "nowhere": "bedrock" needs an "aws_region_name"',
      'model_list "nobody": "vertex_ai" needs a "vertex_project"',
    ])
      expect(out).toContain(line)
  })

  it('gives services that are known their profile, at Azure below the address without versions', async () => {
    folder.write(
      'config.yaml',
      [
        'model_list:',
        deployment('gpt-4o', ', api_key: os.environ/AZURE'),
        deployment('gpt-5'),
        '  - { model_name: r1, litellm_params: { model: together_ai/deepseek-ai/DeepSeek-R1 } }',
        '  - { model_name: elsewhere, litellm_params: { model: azure/gpt, api_base: os.environ/BASE } }',
      ].join('\n'),
    )
    const { out } = await folder.run(['init', '--from', 'litellm', 'config.yaml']).finished
    const azure = {
      dialect: 'chat-completions',
      url: 'https://one.openai.azure.com/openai/v1',
      profile: 'azure',
    }
    expect(config()).toEqual({
      upstreams: {
        azure: { ...azure, key: 'env:AZURE' },
        'azure-2': { ...azure, key: 'env:AZURE_API_KEY' },
        together_ai: {
          dialect: 'chat-completions',
          url: 'https://api.together.xyz/v1',
          profile: 'together',
          key: 'env:TOGETHERAI_API_KEY',
        },
      },
      routes: [
        { model: 'gpt-4o', upstream: 'azure', as: 'gpt-4o-eu' },
        { model: 'gpt-5', upstream: 'azure-2', as: 'gpt-5-eu' },
        { model: 'r1', upstream: 'together_ai', as: 'deepseek-ai/DeepSeek-R1' },
      ],
    })
    expect(out).toContain('azure-3: url: expected a URL')
    expect(out).not.toContain('api_version')
    // The same by the addresses that files of other proxies have.
    folder.write(
      'other.json',
      `{ "Providers": [
        { "name": "a", "api_base_url": "https://api.z.ai/api/anthropic/v1/messages", "models": ["m"] },
        { "name": "b", "api_base_url": "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions", "models": ["n"] },
        { "name": "c", "api_base_url": "https://api.z.ai.example/v1/chat/completions", "models": ["o"] } ] }`,
    )
    rmSync(join(folder.path, 'dragoman.json'))
    await folder.run(['init', '--from', 'ccr', 'other.json']).finished
    expect(config()).toMatchObject({
      upstreams: {
        a: { profile: 'zai' },
        b: { profile: 'qwen' },
        c: expect.not.objectContaining({ profile: expect.anything() }),
      },
    })
    await expectChecked()
  })

  it('leaves out the keys of callers that are too short, and no other one', async () => {
    const key = 'long-enough-0123456789'
    folder.write(
      'config.yaml',
      CLIPROXYAPI.replace('- "short"', `- "short"\n  - "${key}"\n  - "brief"`),
    )
    const { out } = await folder.run(['init', '--from', 'cliproxyapi', 'config.yaml']).finished
    expect(config()).toMatchObject({ callers: { keys: [key] } })
    expect(out).toContain('keys of callers (2): expected a key of 16 to 512 characters\n')
  })

  it.each([
    ['ccr', '{ Providers: [] }', 1, 'expected a field name in double quotes or "}"'],
    ['ccr', '{\n  "Providers": [\n', 3, 'expected a JSON value, but the text ends here'],
    ['litellm', 'model_list:\n\t- model_name: a', 2, 'expected spaces: tabs do not indent'],
  ])('says where a file of %s cannot be read', async (from, broken, line, expected) => {
    folder.write('other', broken)
    const { code, error } = await folder.run(['init', '--from', from, 'other']).finished
    expect([code, error]).toEqual([78, `dragoman: other:${line}: ${expected}\n`])
  })

  it('converts a file of claude-code-router', async () => {
    folder.write('config.json', CCR)
    const { code, out } = await folder.run(['init', '--from', 'ccr', 'config.json'], KEYS).finished
    expect(code).toBe(0)
    expect(config()).toMatchObject({
      upstreams: {
        claude: { dialect: 'messages', url: 'https://one.example/v1', key: 'env:ANTHROPIC' },
        gemini: {
          dialect: 'generate-content',
          url: 'https://two.example/v1beta',
          key: 'env:OPENAI',
        },
      },
      routes: [
        { model: 'claude,claude-opus-4-8', upstream: 'claude', as: 'claude-opus-4-8' },
        { model: 'claude,claude-haiku-5', upstream: 'claude', as: 'claude-haiku-5' },
        { model: 'gemini,gemini-3-pro', upstream: 'gemini', as: 'gemini-3-pro' },
        {
          model: '*',
          class: 'long',
          minInputTokens: 80_000,
          upstream: 'gemini',
          as: 'gemini-3-pro',
        },
        { model: 'dragoman-small', upstream: 'gemini', as: 'gemini-3-pro' },
        { model: '*haiku*', upstream: 'gemini', as: 'gemini-3-pro' },
        { model: '*', class: 'auxiliary', upstream: 'gemini', as: 'gemini-3-pro' },
        { model: '*', class: 'web-search', upstream: 'gemini', as: 'gemini-3-flash' },
        { model: '*', class: 'thinking', upstream: 'claude', as: 'claude-opus-5' },
        { model: 'claude-opus-4-8', upstream: 'claude' },
        { model: 'claude-haiku-5', upstream: 'claude' },
        { model: 'gemini-3-pro', upstream: 'gemini' },
        { model: '*', upstream: 'claude', as: 'claude-opus-4-8' },
      ],
      callers: { keys: ['env:MASTER'] },
    })
    for (const word of ['image', 'PORT', 'transformers of all models, claude-haiku-5;'])
      expect(out).toContain(word)
    expect(out).not.toMatch(/longContext|webSearch|think|background/)
    expect((await folder.run(['check'], KEYS).finished).code).toBe(0)
  })

  it.each([
    [
      '"Router": { "default": "a,m" }',
      [
        { model: 'a,m', upstream: 'a', as: 'm' },
        { model: 'm', upstream: 'a' },
        { model: '*', upstream: 'a', as: 'm' },
      ],
      'b, c: "*" names no model',
    ],
    [
      '"Router": { "longContext": "b,x" }',
      [
        { model: 'a,m', upstream: 'a', as: 'm' },
        { model: '*', class: 'long', minInputTokens: 60_000, upstream: 'b', as: 'x' },
        { model: 'm', upstream: 'a' },
        { model: '*', upstream: 'b' },
      ],
      'c: "*" names no model',
    ],
  ])('takes a star of claude-code-router for no model: %s', async (router, routes, left) => {
    const providers = [provider('b', '*'), provider('c', '*'), provider('a', 'm')]
    folder.write('config.json', `{ "Providers": [${providers}], ${router} }`)
    const { out } = await folder.run(['init', '--from', 'ccr', 'config.json']).finished
    expect(config()).toMatchObject({ routes })
    expect(out).toMatch(new RegExp(`^\\W*${left.replace('*', '\\*')}`, 'm'))
    const checked = await folder.run(['check']).finished
    expect(checked.out + checked.error).not.toContain('shadowed')
  })

  it('converts a file of CLIProxyAPI, and leaves out a key that is too short', async () => {
    folder.write('config.yaml', CLIPROXYAPI)
    const { code, out } = await folder.run(['init', '--from', 'cliproxyapi', 'config.yaml'])
      .finished
    expect(code).toBe(0)
    expect(config()).toEqual({
      upstreams: {
        anthropic: {
          dialect: 'messages',
          url: 'https://one.example',
          key: 'sk-first-0123456789',
          proxy: 'http://proxy.example:3128',
          auth: 'bearer',
        },
        'anthropic-2': {
          dialect: 'messages',
          url: 'https://one.example',
          key: 'sk-second-0123456789',
          auth: 'bearer',
          headers: { 'x-team': 'a' },
        },
        gemini: {
          dialect: 'generate-content',
          url: 'https://generativelanguage.googleapis.com',
          key: 'AIza-0123456789',
          proxy: 'http://proxy.example:3128',
        },
        two: {
          dialect: 'chat-completions',
          url: 'https://two.example/v1',
          key: 'old-key-0123456789',
          proxy: 'http://proxy.example:3128',
        },
      },
      routes: [
        { model: 'best', upstream: 'anthropic', as: 'claude-opus-4-8' },
        { model: 'k2', upstream: 'two', as: 'kimi-k2' },
        {
          model: 'claude-*',
          upstream: ['anthropic', { name: 'anthropic-2', weight: 3 }],
          pick: 'weighted',
        },
        { model: 'gemini-*', upstream: 'gemini' },
      ],
    })
    for (const word of [
      'claude-api-key[0], claude-opus-4-8: max-context-length',
      'claude-api-key[1]: proxy-url: only a proxy that speaks HTTP',
      'claude-api-key[1]: headers that copy',
      'claude-api-key[1]: excluded-models',
      'openai-compatibility "off": is disabled',
      'openai-compatibility "two": prefix',
      '"k2": another model of the upstream "two"',
      'auth-dir',
      'keys of callers',
    ])
      expect(out).toContain(word)
    expect(out).not.toMatch(/sk-first|sk-second|old-key/)
    expect((await folder.run(['check']).finished).code).toBe(0)
  })

  it.each([
    [
      'litellm',
      (base: string) =>
        `model_list: [{ model_name: m, litellm_params: { model: openai/m, api_base: "${base}" } }]`,
    ],
    [
      'cliproxyapi',
      (base: string) =>
        `openai-compatibility: [{ name: a, base-url: "${base}", models: [{ name: m, alias: m }] }]`,
    ],
    [
      'ccr',
      (base: string) =>
        `{ "Providers": [{ "name": "a", "api_base_url": "${base}/chat/completions", "models": ["m"] }] }`,
    ],
  ])(
    'asks where %s would: below an address without a version as well',
    async (program, written) => {
      for (const [base, url] of [
        ['https://api.perplexity.ai', 'https://api.perplexity.ai/chat/completions'],
        ['https://api.z.ai/api/paas/v4', 'https://api.z.ai/api/paas/v4'],
        ['https://x.example/v1beta/openai', 'https://x.example/v1beta/openai'],
      ] as const) {
        folder.write('theirs', written(base))
        const { error } = await folder.run(['init', '--from', program, 'theirs']).finished
        expect(error).toBe('')
        expect(text()).toContain(`"url": "${url}"`)
        rmSync(join(folder.path, 'dragoman.json'))
      }
    },
  )

  it('names all that it leaves out, what has the same reason on one line', async () => {
    const words = Array.from({ length: 24 }, (_, index) => `unknown_${index}`)
    folder.write(
      'config.yaml',
      `model_list:
  - model_name: qwen
    litellm_params: { model: hosted_vllm/qwen, custom_llm_provider: hosted_vllm, api_base: "http://127.0.0.1:8000/v1" }
litellm_settings:
  fallbacks: [{ qwen: [other] }]
  default_fallbacks: [other]
${words.map((word) => `${word}: 1`).join('\n')}
`,
    )
    const { out } = await folder.run(['init', '--from', 'litellm', 'config.yaml']).finished
    expect(out).toContain(
      'litellm_settings.fallbacks, litellm_settings.default_fallbacks: a route may name',
    )
    expect(out).toContain(`${words.join(', ')}: has no place here`)
    // The prefix that LiteLLM takes away stands there although the provider is named as well.
    expect(config()).toMatchObject({ routes: [{ model: 'qwen', upstream: 'hosted_vllm' }] })
  })

  it('stays within a screen, however many models there are', async () => {
    const models = Array.from(
      { length: 300 },
      (_, index) =>
        `  - {model_name: m${index}, litellm_params: {model: anthropic/m${index}, api_base: "http://h${index % 50}.example", unknown: 1}}`,
    )
    folder.write('config.yaml', ['model_list:', ...models].join('\n'))
    const { code, out } = await folder.run(['init', '--from', 'litellm', 'config.yaml']).finished
    expect(code).toBe(0)
    expect(out.split('\n').length).toBeLessThanOrEqual(40)
    expect(text().split('\n').length).toBeLessThanOrEqual(41)
    expect(config()).toMatchObject({ routes: { length: 300 } })
    await expectChecked()
  })
})

const lists = (lines: number) => {
  const list = Array.from({ length: lines }, (_, index) => `  [m${index}, {a: "b", c: [1, 2]}],`)
  const text = ['a: [', ...list, ']', `b: |`, ...list, `c${' '.repeat(lines)}d: 1`].join('\n')
  return () => parseYaml(text)
}

describe('the part of YAML that is read', () => {
  it.each([
    ["a: 1\nb: \"two # 2\" # three\nc: 'it''s'", { a: 1, b: 'two # 2', c: "it's" }],
    ['- 1\n-\n  - 2\n- a: b\n  c: ~', [1, [2], { a: 'b', c: null }]],
    [
      'a:\n- x\n- y: 1\n  z: [1, {b: c}, "d,e"]\nf: true',
      { a: ['x', { y: 1, z: [1, { b: 'c' }, 'd,e'] }], f: true },
    ],
    ['a: |\n  one\n   two\nb: >-\n  three\n  four\n', { a: 'one\n two\n', b: 'three four' }],
    ['a: [1,\n  2,\n  3]\nb: {c: 1,\n d: 2}', { a: [1, 2, 3], b: { c: 1, d: 2 } }],
    [
      '---\nurl: https://host:80/x#y\n"quoted key": -1.5e3\n',
      { url: 'https://host:80/x#y', 'quoted key': -1500 },
    ],
    ['a:\r\n  b:\r\n    - c\r\n', { a: { b: ['c'] } }],
    ["a: don't # x\nb: 1.2.3\nc: sk-1:2", { a: "don't", b: '1.2.3', c: 'sk-1:2' }],
    ['', null],
  ])('%j', (given, value) => expect(parseYaml(given)).toEqual(value))

  it.each(['a: &x 1', 'a: *x', 'a: !!str 1', 'a: [1', 'a: 1\n  b: 2\n c', 'a\nb'])(
    'is refused where it is more: %j',
    (given) => expect(() => parseYaml(given)).toThrow(/expected|anchors/),
  )

  it('keeps quotes over lines and apostrophes in words apart from brackets', () => {
    expect(parseYaml("a: [it's, 'b ]\n  c', \"d } \\\" [\n e\"]\nf: {g: 'h: {'}")).toEqual({
      a: ["it's", 'b ] c', 'd } " [ e'],
      f: { g: 'h: {' },
    })
  })

  it('is read in proportion to its lines', async () => {
    expect(await measureGrowth(lists, 8000)).toBeLessThan(MOST)
  })

  it('ends where it is as long as nobody writes it', () => {
    const long = `a: |\n${'  b\n'.repeat(200_000)}`
    expect(String(Object.values(parseYaml(long) ?? {})[0])).toHaveLength(400_000)
  })

  const LEVELS = 100_000
  it.each([
    ['brackets', `a: ${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`],
    ['braces', `a: ${'{a: '.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`],
    ['dashes', `${'- '.repeat(LEVELS)}a`],
    ['lines', Array.from({ length: 2000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ])('says where it is too deep, in %s', (_, given) => {
    expect(() => parseYaml(given)).toThrow('expected at most 100 levels of maps and lists')
  })
})
