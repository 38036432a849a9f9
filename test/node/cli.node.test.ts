import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tooOld } from '../../src/node/command/options.ts'
import { VERSION } from '../../src/version.ts'
import { emptyFolder, type Folder } from './command.ts'

let folder: Folder
beforeEach(() => {
  folder = emptyFolder()
})
afterEach(() => folder.remove())

const CALLER_KEY = 'caller-key-0123456789'
const UPSTREAM_KEY = 'upstream-key-0123456789'
const CONFIG = `{
  // two upstreams
  "upstreams": {
    "claude": { "dialect": "messages", "url": "https://one.invalid/v1", "key": "${UPSTREAM_KEY}" },
    "openai": { "dialect": "responses", "url": "https://two.invalid", "key": "env:OPENAI" },
  },
  "routes": [
    { "model": "gpt-*", "upstream": "claude", "as": "claude-opus-4-8" },
    { "model": "*", "upstream": "openai" },
  ],
  "callers": { "keys": ["env:PROXY_KEY"] },
}`
const SECRETS = { OPENAI: 'openai-key-0123456789', PROXY_KEY: CALLER_KEY }

const MESSAGE = {
  model: 'gpt-5',
  max_tokens: 100,
  top_k: 5,
  messages: [{ role: 'user', content: 'Hello' }],
}

const named = (name: string, expires: string) => ({
  name,
  key: `${name}-0123456789abcdef`,
  expires,
})

describe('dragoman', () => {
  it('says what it is', async () => {
    const said = await folder.run(['--version']).finished
    expect(said).toMatchObject({ code: 0, error: '' })
    expect(said.out.replace(/ \(commit [0-9a-f]{12}\)\n$/, '\n')).toBe(`${VERSION}\n`)
    const help = await folder.run(['--help']).finished
    expect(help).toMatchObject({ code: 0, error: '' })
    for (const word of ['serve', 'check', 'explain', '--config', '--port', '--host', '--path'])
      expect(help.out).toContain(word)
  })

  it.each([
    [['check', '--help'], 'dragoman check '],
    [['help', 'launch'], 'dragoman launch '],
    [['launch', 'claude', '-h'], 'dragoman launch '],
    [['serve', '--help'], 'dragoman [serve] '],
    [['init', '--help'], 'dragoman init '],
  ])('%j says the part of that command', async (args, start) => {
    const { code, out, error } = await folder.run(args).finished
    expect([code, error]).toEqual([0, ''])
    expect(out.trimStart().startsWith(start)).toBe(true)
    expect(out.match(/^  dragoman /gm)).toHaveLength(1)
  })

  it('says until when a key of a caller is taken, or since when it is not', async () => {
    folder.write(
      'days.json',
      JSON.stringify({
        upstreams: { a: { dialect: 'messages', url: 'https://upstream.example' } },
        callers: { keys: [named('old', '2020-01-01'), named('new', '2999-01-01')] },
      }),
    )
    const { out } = await folder.run(['check', '--config', 'days.json']).finished
    expect(out).toContain('2 keys: old (refused since 2020-01-01), new (until 2999-01-01)')
  })

  it('prints what is known of servers', async () => {
    const { code, out } = await folder.run(['profiles']).finished
    expect(code).toBe(0)
    expect(out).toMatch(/^ *vllm +responses +\S.*\n +.*namespaces=false/m)
  })

  it('starts with nothing configured, and prints a curl that works as it stands', async () => {
    const command = folder.run(['--port', '0'])
    await command.listening()
    const { out, error } = command.printed()
    // What is read by programs: the start, where it has been told already.
    for (const line of out.split('\n').filter((one) => one !== ''))
      expect(JSON.parse(line)).toMatchObject({ event: 'start' })
    for (const line of [
      /^This is the demo: .*\nTo leave it, set DRAGOMAN_DIALECT, .* dragoman\.json/m,
      /^http:\/\/localhost:\d+ is the same/m,
      /Claude Code +ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+ ANTHROPIC_AUTH_TOKEN=any claude --model demo-/,
      /Codex +PROXY_KEY=any codex -c model_provider='"dragoman"' -c 'model_providers\.dragoman=\{.*\}' -m demo-/,
      /Gemini CLI +GOOGLE_GEMINI_BASE_URL=\S+ GEMINI_API_KEY=any gemini -m demo-/,
      'messages          POST /v1/messages',
      'generate-content  POST /v1beta/models/MODEL:generateContent',
      'responses         POST /v1/responses',
      /upstream +demo-messages +messages +in this process +for demo-messages, \*/,
      /state +memory/,
    ])
      expect(error).toMatch(line)
    const curl = error.slice(error.indexOf('curl '))
    const answer = execFileSync(
      'sh',
      ['-c', `${curl.replace('curl ', 'curl -sS -w "%{http_code}" ')}`],
      {
        encoding: 'utf8',
      },
    )
    expect(answer).toMatch(/Hello!.*200$/s)
  })

  it('logs one line of JSON per exchange when nobody watches', async () => {
    const command = folder.run(['--port', '0'])
    const url = await command.listening()
    const secret = 'AIzaSecretInTheQuery'
    for (const model of ['demo-responses', 'forged\n{"status":200}']) {
      const body = JSON.stringify({ ...MESSAGE, model })
      const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
      const init = { method: 'POST', headers, body }
      expect((await fetch(`${url}/v1/messages?key=${secret}`, init)).status).toBe(200)
    }
    const lines = () => command.printed().out.split('\n').filter(Boolean)
    await expect.poll(() => lines().length).toBe(3)
    expect(JSON.parse(lines()[0] ?? '')).toMatchObject({ level: 'info', event: 'start', url })
    expect(JSON.parse(lines()[1] ?? '')).toMatchObject({
      level: 'info',
      event: 'exchange',
      method: 'POST',
      path: '/v1/messages',
      caller: 'open',
      dialect: 'messages',
      upstream: 'demo-responses',
      status: 200,
      losses: expect.arrayContaining(['dropped sampling.topK']),
    })
    expect(command.printed().out).not.toContain(secret)
  })

  it('finds its configuration in the folder, and keeps every secret', async () => {
    folder.write('dragoman.json', CONFIG)
    const command = folder.run([], { ...SECRETS, PORT: '0' })
    const url = await command.listening()
    expect((await fetch(`${url}/v1/models`)).status).toBe(401)
    const { out, error } = command.printed()
    expect(error).toMatch(
      /upstream +claude +messages +https:\/\/one\.invalid\/v1 +for gpt-\* as claude-opus-4-8/,
    )
    expect(error).toMatch(/callers +1 key/)
    expect(error).toContain('authorization: Bearer $PROXY_KEY')
    expect(error).toContain('ANTHROPIC_AUTH_TOKEN="$PROXY_KEY" claude --model MODEL')
    expect(error).not.toContain('demo')
    for (const secret of [UPSTREAM_KEY, ...Object.values(SECRETS)])
      expect(out + error).not.toContain(secret)
  })

  it('checks a configuration', async () => {
    folder.write('my.json', CONFIG)
    const good = await folder.run(['check', '--config', 'my.json'], SECRETS).finished
    expect(good).toMatchObject({ code: 0, error: '' })
    expect(good.out).toMatch(/configuration: my\.json\n +upstream +claude/)
    expect(good.out).toMatch(/upstream +openai +responses +https:\/\/two\.invalid +for \*/)
    const bad = await folder.run(['check', '--config', 'my.json']).finished
    expect(bad).toEqual({
      code: 78,
      out: '',
      error:
        'dragoman: my.json:5:78: upstreams.openai.key: the environment variable OPENAI is not set\n' +
        'dragoman: my.json:11:25: callers.keys[0]: the environment variable PROXY_KEY is not set\n',
    })
  })

  it('takes no warnings where it is asked to', async () => {
    const check = ['check', '--config', 'my.json']
    folder.write('my.json', CONFIG)
    expect(await folder.run([...check, '--strict'], SECRETS).finished).toMatchObject({ code: 0 })
    // One is legal, the other is about a model that nothing is known of.
    const twice = CONFIG.replace('"gpt-*"', '"gpt-.*"').replace('claude-opus-4-8', 'my-own')
    folder.write('my.json', twice)
    const lenient = await folder.run(check, SECRETS).finished
    expect(lenient).toMatchObject({ code: 0 })
    expect(lenient.error.match(/warning: /g)).toHaveLength(2)
    const strict = await folder.run([...check, '--strict'], SECRETS).finished
    expect(strict).toEqual({
      ...lenient,
      code: 78,
      error: `${lenient.error}dragoman: --strict takes no warnings: there are 2\n`,
    })
    const served = await folder.run(['--strict', '--port', '0'], SECRETS).finished
    expect(served).toMatchObject({
      code: 78,
      error: 'dragoman: options: "--strict" belongs to check; see --help\n',
    })
  })

  it('explains over an upstream at the port where this proxy is by default', async () => {
    const config = CONFIG.replace('https://one.invalid/v1', 'http://127.0.0.1:8787')
    folder.write('my.json', config)
    folder.write('body.json', JSON.stringify(MESSAGE))
    const explain = ['explain', '--config', 'my.json', '--path', '/v1/messages', 'body.json']
    expect(await folder.run(explain, SECRETS).finished).toMatchObject({ code: 0 })
    const own = await folder.run(['check', '--config', 'my.json'], SECRETS).finished
    expect(own.code).toBe(78)
    expect(own.error).toContain('this is the address of the proxy itself')
    const other = ['check', '--config', 'my.json', '--port', '9000']
    expect(await folder.run(other, SECRETS).finished).toMatchObject({ code: 0 })
  })

  it.each([
    ['sqlite:nowhere/state.db', 'the folder of the state file cannot be written (ENOENT)'],
    ['sqlite:my.json/state.db', 'the folder of the state file cannot be written (ENOTDIR)'],
    ['sqlite:.', 'the state file cannot be written (EISDIR)'],
    ['sqlite:my.json', 'this file is no SQLite database'],
    ['redis://127.0.0.1:99999', 'expected memory, sqlite:FILE or redis://HOST:PORT/NUMBER'],
    ['redis://127.0.0.1:6379/state', 'expected memory, sqlite:FILE or redis://HOST:PORT/NUMBER'],
  ])('checks what a start would fail at: %s', async (store, said) => {
    const config = CONFIG.replace(/^\s*\{/, `{ "state": { "store": "${store}" },`)
    folder.write('my.json', config)
    const { code, error } = await folder.run(['check', '--config', 'my.json'], SECRETS).finished
    expect(error).toBe(`dragoman: my.json:1:23: state.store: ${said}\n`)
    expect(code).toBe(78)
    const started = folder.run(['--config', 'my.json', '--port', '0'], SECRETS)
    expect(await started.finished).toEqual({ code: 78, out: '', error })
  })

  it('checks the way to the upstreams that the environment names', async () => {
    folder.write('my.json', CONFIG)
    const environment = { ...SECRETS, HTTPS_PROXY: 'socks5://proxy.invalid:1080' }
    for (const command of [['check'], ['--port', '0']])
      expect(
        await folder.run([...command, '--config', 'my.json'], environment).finished,
      ).toMatchObject({
        code: 78,
        error:
          'dragoman: environment: HTTPS_PROXY: expected the address of a proxy such as http://host:3128\n',
      })
  })

  it('checks a state file without making one', async () => {
    folder.write('my.json', CONFIG.replace(/^\s*\{/, '{ "state": { "store": "sqlite:new.db" },'))
    const { code, error } = await folder.run(['check', '--config', 'my.json'], SECRETS).finished
    expect([code, error]).toEqual([0, ''])
    expect(readdirSync(folder.path)).toEqual(['my.json'])
  })

  it.skipIf(process.getuid?.() === 0)('checks a folder that may not be written', async () => {
    folder.write('my.json', CONFIG.replace(/^\s*\{/, '{ "state": { "store": "sqlite:new.db" },'))
    chmodSync(folder.path, 0o500)
    const { error } = await folder.run(['check', '--config', 'my.json'], SECRETS).finished
    chmodSync(folder.path, 0o700)
    expect(error).toContain('the folder of the state file cannot be written (EACCES)')
  })

  it('explains a request', async () => {
    folder.write('my.json', CONFIG)
    folder.write('body.json', JSON.stringify({ ...MESSAGE, model: 'other' }))
    const args = ['explain', '--config', 'my.json', '--path', '/v1/messages', 'body.json']
    const { code, out, error } = await folder.run(args, SECRETS).finished
    expect([code, error]).toEqual([0, ''])
    expect(JSON.parse(out)).toMatchObject({
      caller: 'messages',
      upstream: {
        name: 'openai',
        dialect: 'responses',
        method: 'POST',
        url: 'https://two.invalid/v1/responses',
        body: { model: 'other' },
      },
      losses: expect.arrayContaining([expect.objectContaining({ path: 'sampling.topK' })]),
    })
    expect(out).not.toContain(SECRETS.OPENAI)
    const refused = await folder.run(
      [...args.slice(0, 3), '--path', '/v1/nothing', 'body.json'],
      SECRETS,
    ).finished
    expect([refused.code, refused.error]).toEqual([1, ''])
  })

  it.each([
    { input: 'x', previous_response_id: 'resp_1' },
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
  ])('says of a request that names what is stored who can explain it: %j', async (body) => {
    folder.write('body.json', JSON.stringify({ model: 'demo-messages', ...body }))
    const args = ['explain', '--path', '/v1/responses', 'body.json']
    const { code, error } = await folder.run(args).finished
    expect([code, error]).toEqual([
      1,
      'dragoman: explain knows no stored responses: POST the body to /explain/v1/responses of the proxy that keeps them\n',
    ])
  })

  it('knows the oldest Node that the package asks for', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(tooOld('20.20.2')).toBe(
      `this is Node 20.20.2; expected ${engines.node.slice('>='.length)} or newer`,
    )
    expect(['22.11.0', '22.12.0', '24.0.0', process.versions.node].map(tooOld)).toEqual([
      expect.stringContaining('22.11.0'),
      undefined,
      undefined,
      undefined,
    ])
  })

  it.each([
    [['--config', 'none.json'], {}, 'none.json: no such file'],
    [
      ['--config', 'broken.json'],
      {},
      'broken.json:1:2: expected a field name in double quotes or "}", but the text ends here',
    ],
    [['--config', 'binary.json'], {}, 'binary.json:1:1: expected a JSON value'],
    [
      [],
      { DRAGOMAN_CONFIG: '{"upstreams": {}}' },
      'DRAGOMAN_CONFIG:1:15: upstreams: expected at least one upstream',
    ],
    [[], { DRAGOMAN_CONFIG: 'none.json' }, 'none.json: no such file'],
    [
      [],
      { DRAGOMAN_DIALECT: 'messages' },
      'environment: DRAGOMAN_URL: is missing; expected a string',
    ],
    [
      ['--host', '0.0.0.0'],
      {},
      'demo: DRAGOMAN_CALLER_KEYS: expected the keys of the callers (or "open"), because others than this machine can call',
    ],
    [['--port', 'x'], {}, '--port: expected a number from 0 to 65535'],
    [[], { PORT: '70000' }, 'PORT: expected a number from 0 to 65535'],
    [['run'], {}, 'options: there is no command "run"; see --help'],
    [['chekc'], {}, 'options: there is no command "chekc"; did you mean "check"?'],
    [['my.json'], {}, 'options: there is no command "my.json"; --config names a configuration'],
    [['check', 'my.json'], {}, 'options: unexpected "my.json"; --config names a configuration'],
    [['--config', ''], {}, '--config: expected the name of a file'],
    [['--prot', '1'], {}, 'options: there is no option "--prot"; did you mean "--port"?'],
    [['check', '--onlin'], {}, 'options: there is no option "--onlin"; did you mean "--online"?'],
    [['-x'], {}, 'options: there is no option "-x"; see --help'],
    [['--port'], {}, 'options: "--port" expects a value; see --help'],
    [['--port', '--host', 'x'], {}, 'options: "--port" expects a value; see --help'],
    [['--watch=1'], {}, 'options: "--watch" takes no value; see --help'],
    [['chekc', '--help'], {}, 'options: there is no command "chekc"; did you mean "check"?'],
    [
      ['launch', 'claud'],
      {},
      'options: launch expects one of claude, codex, gemini, opencode, qwen; did you mean "claude"?',
    ],
    [
      ['init', '--from', 'litllm', 'x'],
      {},
      '--from: expected one of litellm, ccr, cliproxyapi; did you mean "litellm"?',
    ],
    [['check', 'x'], {}, 'options: unexpected "x"; see --help'],
    [['explain', 'x'], {}, 'options: explain expects --path, such as --path /v1/messages'],
    [
      ['explain', '--path', 'v1/messages', 'x'],
      {},
      '--path: expected a path that begins with "/", such as /v1/messages',
    ],
    [
      ['--config', 'my.json', 'launch', 'claude'],
      {},
      'options: launch comes first, and its options behind it: dragoman launch CLIENT --config FILE',
    ],
    [
      ['explain', '--path', '/v1/messages'],
      {},
      'options: explain expects a FILE that holds the body of a request',
    ],
    [['explain', '--path', '/v1/messages', 'x'], {}, 'x: cannot be read (ENOENT)'],
  ])('refuses %j with %j in one line', async (args, environment, message) => {
    folder.write('broken.json', '{')
    folder.write('binary.json', '\0')
    const finished = await folder.run(args, environment as Record<string, string>).finished
    expect(finished).toEqual({ code: 78, out: '', error: `dragoman: ${message}\n` })
  })

  it('says that a port is taken', async () => {
    const other = createServer()
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port)),
    )
    const finished = await folder.run(['--port', String(port)]).finished
    const page = await folder.run(['--port', '0', '--inspect-port', String(port)]).finished
    other.close()
    expect(page).toEqual({
      code: 1,
      out: '',
      error: `dragoman: 127.0.0.1:${port} is taken by another program; --inspect-port N chooses another\n`,
    })
    expect(finished).toEqual({
      code: 1,
      out: '',
      error: `dragoman: 127.0.0.1:${port} is taken by another program; --port N or PORT chooses another\n`,
    })
  })
})
