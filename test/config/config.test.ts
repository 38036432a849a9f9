import { DIALECTS } from '../../adapters/dialect.ts'
import { describe, expect, it } from 'vitest'
import { objectSource } from '../../src/config/source.ts'
import { environmentSource } from '../../src/config/variables.ts'
import {
  type Environment,
  examined,
  type Platform,
  settingsIn,
  settingsFromText,
  readSettings,
} from '../../src/config/config.ts'
import { ISOLATE_LIMITS, PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { listSecrets } from '../../src/upstream/secrets.ts'
import { STORE_BOUNDS, WORKER_STORE_BOUNDS } from '../../src/config/defaults.ts'
import { ONE_DIALECT } from './one-dialect.ts'

const claude = { dialect: 'messages', url: 'https://upstream.example', key: 'sk-claude-0001' }
const config = {
  upstreams: {
    claude,
    gemini: {
      dialect: 'generate-content',
      url: 'https://upstream.example/base/v1beta/',
      key: 'env:GEMINI_KEY',
      auth: 'x-goog-api-key',
      headers: { 'X-Team': 'env:TEAM' },
    },
    openai: { dialect: 'responses', url: 'http://upstream.example:8080/v1', key: 'caller' },
  },
  routes: [
    { model: 'gpt-*', upstream: 'claude', as: 'claude-opus-4-8' },
    { model: '*', upstream: 'gemini' },
  ],
  callers: { keys: ['env:PROXY_KEY'] },
}
const environment = { GEMINI_KEY: ' gem-0001\n', TEAM: 'blue', PROXY_KEY: 'proxy-key-00000001' }

const webOf = (web: object) => readSettings({ ...config, web }, environment).web

const warned = (callers: object) => {
  const given = { upstreams: { claude }, web: { origins: ['https://a.example'] }, ...callers }
  const { faults } = examined(objectSource(given, 'x.json'), {}, {})
  return faults.map(({ place, expected }) => `${place}: ${expected}`)
}

const warnedOf = (given: object) => {
  const { faults } = examined(objectSource(given, 'x.json'), {}, {})
  return faults.map(({ place, expected }) => `${place}: ${expected}`)
}
const openai = { dialect: 'responses', url: 'https://a.example', key: 'upstream-key-01' }
const off = {
  upstreams: { openai, claude: { ...openai, dialect: 'messages' } },
  state: { store: 'off' },
}
const routes = [
  { model: 'gpt-*', upstream: 'openai' },
  { model: '*', upstream: 'claude' },
]
const keys = (count: number) =>
  Array.from({ length: count }, (_, index) => `caller-key-0123456789-${index}`)
const warning =
  'state.store: nothing notes whose the responses are that "openai" keeps, so nobody can read or continue one; expected a store, or "key": "caller" there'

describe('an upstream that keeps responses for one key', () => {
  it('is warned about where nothing notes whose they are', () => {
    expect(warnedOf({ ...off, routes })).toEqual([warning])
    expect(warnedOf({ ...off, routes, callers: { keys: keys(2) } })).toEqual([warning])
  })
  it('is warned about for the time when a second caller is seen, where there may be one alone', () => {
    const since = (words: string) => [
      warning.replace(';', ` once a second caller was seen${words};`),
    ]
    const beside = ', who is told by another credential beside the one key'
    expect(warnedOf({ ...off, routes, callers: { keys: keys(1) } })).toEqual(since(beside))
    const found = (exposed: boolean) =>
      examined(
        objectSource({ ...off, routes }, 'x.json'),
        {},
        { exposed, listens: { host: exposed ? '0.0.0.0' : '127.0.0.1', port: 8787 } },
      ).faults.map(({ place, expected }) => `${place}: ${expected}`)
    expect(found(false)).toEqual(since(''))
    expect(found(true)).toContain(warning)
  })
  it('is fine with a store, or with the key of its caller', () => {
    expect(warnedOf({ ...off, routes, state: { store: 'memory' } })).toEqual([])
    const upstreams = { ...off.upstreams, openai: { ...openai, key: 'caller' } }
    expect(warnedOf({ ...off, routes, upstreams })).toEqual([])
  })
})

describe('what web pages may do', () => {
  it('is warned about where they would spend the keys of everybody', () => {
    const warning = 'web.origins: callers are open, so these pages spend your keys'
    expect(warned({})).toEqual([warning])
    expect(warned({ callers: 'open' })).toEqual([warning])
    expect(warned({ callers: { keys: ['caller-key-0123456789'] } })).toEqual([])
  })
  it('is nothing, unless they are listed', () => {
    expect(readSettings(config, environment).web).toBeUndefined()
    expect(webOf({})).toEqual({ origins: [], hosts: [] })
  })
  it('keeps origins to the letter, and names as they are compared', () => {
    const origins = [
      'https://chat.example',
      'http://localhost:5173',
      'vscode-webview://a1',
      'file://',
    ]
    const hosts = ['Proxy.Internal.', '[fd00::1]', 'host.docker.internal']
    expect(webOf({ origins, hosts })).toEqual({
      origins,
      hosts: ['proxy.internal', 'fd00::1', 'host.docker.internal'],
    })
  })
})

describe('a configuration', () => {
  const settings = readSettings(config, environment, { origin: 'dragoman.json', exposed: true })

  it('gets its defaults, and the defaults of each dialect', () => {
    const { claude, openai } = Object.fromEntries(settings.upstreams)
    expect(claude).toEqual({
      name: 'claude',
      dialect: 'messages',
      base: 'https://upstream.example',
      key: { kind: 'literal', value: 'sk-claude-0001' },
      auth: 'x-api-key',
      headers: {},
      maxOutputTokens: 8192,
      models: new Map(),
      timeouts: {
        connectMs: 10_000,
        firstByteMs: 120_000,
        jsonMs: 600_000,
        idleMs: 120_000,
        totalMs: 3_600_000,
      },
    })
    expect(openai).toMatchObject({ auth: 'bearer', key: { kind: 'caller' } })
    expect(settings).toMatchObject({
      routes: config.routes,
      tasks: {},
      state: 'memory',
      losses: 'report',
      limits: PROCESS_LIMITS,
      origin: 'dragoman.json',
    })
  })

  it('tells a version at the end of a URL from its base path', () => {
    const { gemini, openai } = Object.fromEntries(settings.upstreams)
    expect(gemini).toMatchObject({ base: 'https://upstream.example/base', version: 'v1beta' })
    expect(openai).toMatchObject({ base: 'http://upstream.example:8080', version: 'v1' })
  })

  it.each([
    ['chat-completions', 'https://api.z.ai/api/paas/v4', 'https://api.z.ai/api/paas', 'v4'],
    ['chat-completions', 'https://x/v1beta/openai/', 'https://x', 'v1beta/openai'],
    ['chat-completions', 'https://x/v1/openai', 'https://x', 'v1/openai'],
    ['chat-completions', 'https://x/openai/v1', 'https://x/openai', 'v1'],
    ['chat-completions', 'https://x/compatible-mode/v1', 'https://x/compatible-mode', 'v1'],
    ['chat-completions', 'https://x/chat/completions', 'https://x', ''],
    ['chat-completions', 'https://x/v1/chat/completions', 'https://x', 'v1'],
    ['responses', 'https://x/api/v3', 'https://x/api', 'v3'],
    ['generate-content', 'https://x/v1alpha', 'https://x', 'v1alpha'],
    // Below these paths the version is added, as before.
    ['chat-completions', 'https://v4', 'https://v4', undefined],
    ['chat-completions', 'https://x/openai', 'https://x/openai', undefined],
    ['chat-completions', 'https://x/v1/team/openai', 'https://x/v1/team/openai', undefined],
    ['chat-completions', 'https://x/v4/zone', 'https://x/v4/zone', undefined],
    ['responses', 'https://x/openai/responses', 'https://x/openai', ''],
    ['messages', 'https://x/v2', 'https://x/v2', undefined],
    ['messages', 'https://x/v1/openai', 'https://x/v1/openai', undefined],
  ] as const)('%s at %s', (dialect, url, base, version) => {
    const { upstreams } = readSettings({ upstreams: { a: { dialect, url } } }, {})
    const { a } = Object.fromEntries(upstreams)
    expect([a?.base, a?.version]).toEqual([base, version])
  })

  it('takes secrets from the environment, and knows all of them', () => {
    expect(settings.upstreams.get('gemini')).toMatchObject({
      key: { kind: 'literal', value: 'gem-0001' },
      headers: { 'x-team': 'blue' },
    })
    expect(settings.callers).toEqual({ kind: 'keys', keys: ['proxy-key-00000001'] })
    const secrets = listSecrets(settings)
    for (const secret of ['sk-claude-0001', 'gem-0001', 'proxy-key-00000001', 'blue'])
      expect(secrets).toContain(secret)
    // In basic authentication.
    const spelled = Buffer.from('x:sk-claude-0001').toString('base64')
    expect(secrets.some((secret) => spelled.includes(secret))).toBe(true)
  })

  it('keeps facts about models, time-outs, limits and tasks', () => {
    const models = { 'claude-*': { contextWindow: 200_000, thinking: 'adaptive', drop: ['top_k'] } }
    const rich = readSettings(
      {
        $schema: './dragoman.schema.json',
        upstreams: { claude: { ...claude, models, timeouts: { firstByteMs: 5000 } } },
        tasks: {
          image: { url: 'https://tasks.example/', key: 'k', prefix: '/mj/' },
          music: { url: 'https://tasks.example/base', prefix: '/' },
        },
        state: { store: 'sqlite:state.db' },
        losses: 'reject',
        limits: { bodyBytes: 1024 },
      },
      {},
    )
    expect(rich.upstreams.get('claude')).toMatchObject({
      models: new Map([['claude-*', models['claude-*']]]),
      timeouts: { firstByteMs: 5000, jsonMs: 5000, idleMs: 120_000 },
    })
    expect(rich.routes).toEqual([{ model: '*', upstream: 'claude' }])
    expect(rich.tasks).toEqual({
      image: { base: 'https://tasks.example', key: { kind: 'literal', value: 'k' }, prefix: '/mj' },
      music: { base: 'https://tasks.example/base', key: { kind: 'none' }, prefix: '' },
    })
    expect(rich).toMatchObject({ state: 'sqlite:state.db', losses: 'reject' })
    expect(rich.limits).toEqual({ ...PROCESS_LIMITS, bodyBytes: 1024 })
    expect(rich.callers).toEqual({ kind: 'open' })
  })

  it('says how long and how much is kept, with defaults for the rest', () => {
    const state = { store: 'off', ttlSeconds: 60, entryBytes: 1000, proofs: true }
    const kept = readSettings({ upstreams: { claude }, state }, {})
    expect([kept.state, kept.retention]).toEqual([
      'off',
      { ...STORE_BOUNDS, entryBytes: 1000, ttlMs: 60_000, proofs: true },
    ])
    const plain = readSettings({ upstreams: { claude } }, {})
    expect(plain.retention).toEqual({ ...STORE_BOUNDS, ttlMs: 2_592_000_000, proofs: false })
    const isolate: Platform = { stores: 'isolate' }
    expect(readSettings({ upstreams: { claude } }, {}, isolate).retention).toEqual({
      ...WORKER_STORE_BOUNDS,
      ttlMs: 2_592_000_000,
      proofs: false,
    })
  })

  it('takes the bounds of an isolate where it runs in one', () => {
    const isolate: Platform = { limits: ISOLATE_LIMITS, stores: 'isolate' }
    const { limits } = readSettings(
      { ...config, state: { store: 'durable' } },
      environment,
      isolate,
    )
    expect(limits.bodyBytes).toBe(16 * 1024 * 1024)
  })
})

const secret = 'sk-very-secret-value'
const withUpstream = (change: object) => ({ upstreams: { claude: { ...claude, ...change } } })
const withTop = (change: object) => ({ upstreams: { claude }, ...change })
const exposed: Platform = { exposed: true }
const isolate: Platform = { stores: 'isolate' }

const FAULTS: [unknown, string, Platform?][] = [
  [undefined, 'is missing; expected an object'],
  [[], 'expected an object'],
  [{}, 'upstreams: expected at least one upstream'],
  [{ upstreams: {} }, 'upstreams: expected at least one upstream'],
  [{ upstreams: [] }, 'upstreams: expected an object'],
  [withTop({ upstream: {} }), 'upstream: no such field exists; did you mean "upstreams"?'],
  [
    withUpstream({ dialect: undefined }),
    `upstreams.claude.dialect: is missing; expected ${ONE_DIALECT}`,
  ],
  [withUpstream({ dialect: 'telepathy' }), `upstreams.claude.dialect: expected ${ONE_DIALECT}`],
  [withUpstream({ url: undefined }), 'upstreams.claude.url: is missing; expected a string'],
  [
    withUpstream({ url: 'upstream.example' }),
    'upstreams.claude.url: expected a URL such as https://host/path',
  ],
  [
    withUpstream({ url: 'ftp://upstream.example' }),
    'upstreams.claude.url: expected a URL such as https://host/path',
  ],
  [
    withUpstream({ url: `https://me:${secret}@upstream.example` }),
    'upstreams.claude.url: expected a URL without a user name; a credential belongs in "key"',
  ],
  [
    withUpstream({ url: `https://upstream.example/?key=${secret}` }),
    'upstreams.claude.url: expected a URL without "?" and "#"',
  ],
  [withUpstream({ key: 7 }), 'upstreams.claude.key: expected a string, or a list of keys'],
  [withUpstream({ key: '' }), 'upstreams.claude.key: expected some text'],
  [
    withUpstream({ key: `${secret} x` }),
    'upstreams.claude.key: expected a key of visible ASCII characters without spaces, and no quotes around it',
  ],
  [
    withUpstream({ key: 'env:NO_KEY' }),
    'upstreams.claude.key: the environment variable NO_KEY is not set',
  ],
  [
    withUpstream({ key: 'env:BLANK_KEY' }),
    'upstreams.claude.key: the environment variable BLANK_KEY is empty',
  ],
  [
    withUpstream({ auth: 'basic' }),
    'upstreams.claude.auth: expected one of "x-api-key", "bearer", "x-goog-api-key", "api-key", "query", or {"google"}, {"aws"} or {"entra"}',
  ],
  [
    withUpstream({ headers: { 'a b': 'c' } }),
    'upstreams.claude.headers["a b"]: expected the name of a header',
  ],
  [
    withUpstream({ headers: { Host: 'c' } }),
    'upstreams.claude.headers.Host: this header belongs to the connection and cannot be set',
  ],
  [
    withUpstream({ headers: { 'x-a': 'b\r\nc' } }),
    'upstreams.claude.headers.x-a: expected a value of printable ASCII characters',
  ],
  [withUpstream({ maxOutputTokens: 0 }), 'upstreams.claude.maxOutputTokens: expected at least 1'],
  [
    withUpstream({ models: { m: { thinking: 'yes' } } }),
    'upstreams.claude.models.m.thinking: expected one of "budget", "adaptive", "level"',
  ],
  [
    withUpstream({ timeouts: { idleMs: 1.5 } }),
    'upstreams.claude.timeouts.idleMs: expected a whole number',
  ],
  [
    withUpstream({ timeouts: { idleMs: 2 ** 31 } }),
    'upstreams.claude.timeouts.idleMs: expected at most 2147483647',
  ],
  [
    withUpstream({ timeout: {} }),
    'upstreams.claude.timeout: no such field exists; did you mean "timeouts"?',
  ],
  [
    withUpstream({ models: { '*': { drop: ['temperature', 'top-p'] } } }),
    'upstreams.claude.models["*"].drop[1]: expected the name of a parameter of messages; did you mean "top_p"?',
  ],
  ...[
    ['openai', 'responses'],
    ['openai-compatible', 'chat-completions'],
    ['Anthropic', 'messages'],
    ['gemini', 'generate-content'],
  ].map(([vendor, dialect]): [object, string] => [
    withUpstream({ dialect: vendor }),
    `upstreams.claude.dialect: expected one of "messages", "generate-content", "responses", "chat-completions"; did you mean "${dialect}"?`,
  ]),
  [
    { upstreams: { 'a b': claude } },
    'upstreams["a b"]: expected a name of letters, digits, ".", "_" and "-"',
  ],
  [
    { upstreams: { a: claude, b: claude } },
    'routes: expected at least one route, such as {"model": "*", "upstream": "a"}',
  ],
  [
    withTop({ routes: [] }),
    'routes: expected at least one route, such as {"model": "*", "upstream": "claude"}',
  ],
  [
    withTop({ routes: [{ model: '*' }] }),
    'routes[0].upstream: is missing; expected the name of an upstream or a list',
  ],
  [
    withTop({
      routes: [
        { model: '*', upstream: 'claude' },
        { model: 'x', upstream: 'cluade' },
      ],
    }),
    'routes[1].upstream: expected the name of an upstream (claude); did you mean "claude"?',
  ],
  [
    withTop({ routes: [{ modle: '*', upstream: 'claude' }] }),
    'routes[0].modle: no such field exists; did you mean "model"?',
  ],
  [
    withTop({ routes: [{ model: '*', upstream: 'claude', alias: 'x' }] }),
    'routes[0].alias: no such field exists; did you mean "as"?',
  ],
  [
    withTop({ web: { origins: ['https://a.example', 'https://*.example'] } }),
    'web.origins[1]: expected one origin; "*" would let in every page there is',
  ],
  ...[
    ['https://chat.example/', '; did you mean "https://chat.example"?'],
    ['HTTPS://chat.example', '; did you mean "https://chat.example"?'],
    ['http://chat.example:80', '; did you mean "http://chat.example"?'],
    ['chat', ''],
    ['null', ''],
  ].map(([origin, meant]): [object, string] => [
    withTop({ web: { origins: [origin] } }),
    `web.origins[0]: expected an origin as browsers send it, such as https://chat.example or http://localhost:5173${meant}`,
  ]),
  ...['proxy.internal:8787', '*.internal', 'http://proxy.internal', ''].map(
    (host): [object, string] => [
      withTop({ web: { hosts: ['a', host] } }),
      host === ''
        ? 'web.hosts[1]: expected some text'
        : 'web.hosts[1]: expected a host name such as proxy.internal, without a port',
    ],
  ),
  [withTop({ callers: 'all' }), 'callers: expected "open" or {"keys": [...]}'],
  [withTop({ callers: { keys: [] } }), 'callers.keys: expected at least one entry'],
  [withTop({ callers: { keys: [7] } }), 'callers.keys[0]: expected a key or {"name", "key"}'],
  [withTop({ callers: { key: 'x' } }), 'callers.key: no such field exists; did you mean "keys"?'],
  [
    withTop({ callers: { keys: ['short'] } }),
    'callers.keys[0]: expected a key of 16 to 512 characters',
  ],
  [
    withTop({}),
    'callers: expected the keys of the callers (or "open"), because others than this machine can call',
    exposed,
  ],
  [withTop({ tasks: { video: {} } }), 'tasks.video: no such field exists'],
  [
    withTop({ tasks: { image: { url: 'x' } } }),
    'tasks.image.url: expected a URL such as https://host/path',
  ],
  [
    withTop({ tasks: { image: { url: 'http://x', prefix: 'mj' } } }),
    'tasks.image.prefix: expected a path that begins with "/"',
  ],
  [withTop({ state: { store: 'memory', ttlSeconds: 0 } }), 'state.ttlSeconds: expected at least 1'],
  [
    withTop({ state: { store: 'disk' } }),
    'state.store: expected memory, sqlite:FILE, redis://HOST or off',
  ],
  [withTop({ state: { store: 'sqlite:x' } }), 'state.store: expected durable, kv or off', isolate],
  [withTop({ losses: 'hide' }), 'losses: expected "report", "reject" or {"mode", "trailer"}'],
  [withTop({ losses: { trailer: 'yes' } }), 'losses.trailer: expected a boolean'],
  [withTop({ limits: { bodyBytes: -1 } }), 'limits.bodyBytes: expected at least 1'],
  [withTop({ limits: { depth: 5000 } }), 'limits.depth: expected at most 1000'],
]

describe('a faulty configuration', () => {
  it.each(FAULTS)('%j: %s', (value, message, platform = {}) => {
    const parse = () => readSettings(value, { BLANK_KEY: ' ' }, { ...platform, origin: 'my.json' })
    expect(attempt(parse)).toBe(`ConfigError: my.json: ${message}`)
  })

  it('never shows a value', () => {
    for (const [value] of FAULTS) {
      const failure = attempt(() => readSettings(value, {}))
      expect(failure).not.toContain(secret)
    }
  })
})

const read = (text: string) => settingsFromText(text, {}, { origin: 'my.json' })

describe('a configuration as text', () => {
  it('may have comments and trailing commas', () => {
    const text = `\ufeff// who
    { "upstreams": { /* one */ "a": { "dialect": "messages", "url": "http://x//y", }, },
      "routes": [ { "model": "*", "upstream": "a", "as": "// not a comment /* \\" \\u0041" }, ], } // end`
    expect(read(text)).toMatchObject({ routes: [{ as: '// not a comment /* " A' }] })
  })

  it.each([
    ['', 'my.json:1:1: expected a JSON value, but the text ends here'],
    ['{', 'my.json:1:2: expected a field name in double quotes or "}", but the text ends here'],
    ['{\n  "a" 1}', 'my.json:2:7: expected a colon'],
    ['{"a": 1 "b": 2}', 'my.json:1:9: expected a comma or "}"'],
    ['[1 2]', 'my.json:1:4: expected a comma or "]"'],
    ['{"a": tru}', 'my.json:1:7: expected a JSON value'],
    ['{"a": 01}', 'my.json:1:7: expected a JSON value'],
    [
      `{"a": "${secret}\n"}`,
      'my.json:1:7: expected a string that ends on its line, with "\\\\" for a backslash',
    ],
    ["{'a': 1}", 'my.json:1:2: expected a field name in double quotes or "}"'],
    [
      '{"upstreams": {},\n "upstreams": {"a": {"dialect": "messages", "url": "http://x"}}}',
      'my.json:2:2: expected "upstreams" only once',
    ],
    ['{} {}', 'my.json:1:4: expected nothing more'],
    ['{} /* no end', 'my.json:1:4: expected nothing more'],
    ['['.repeat(100), 'my.json:1:66: expected at most 64 levels'],
    [
      '{"__proto__": {"losses": "reject"}}',
      'my.json:1:1: upstreams: expected at least one upstream\nmy.json:1:2: __proto__: no such field exists',
    ],
  ])('%j: %s', (text, message) => expect(attempt(() => read(text))).toBe(`ConfigError: ${message}`))
})

const short = (variables: Environment, platform: Platform = exposed) =>
  settingsIn(examined(environmentSource(variables), variables, platform))

describe('the short form', () => {
  it('is one upstream for every model', () => {
    const settings = short({
      DRAGOMAN_DIALECT: 'messages',
      DRAGOMAN_URL: 'https://upstream.example/v1',
      DRAGOMAN_KEY: 'sk-claude-0001',
      DRAGOMAN_MODEL: 'claude-opus-4-8',
      DRAGOMAN_PROFILE: 'litellm',
      DRAGOMAN_CALLER_KEYS: 'first-key-00000001, second-key-0000002',
      DRAGOMAN_IMAGE_URL: 'https://tasks.example',
      DRAGOMAN_IMAGE_KEY: 'task-key',
      DRAGOMAN_STATE: 'memory',
      DRAGOMAN_LOSSES: 'reject',
    })
    expect(settings.upstreams.get('upstream')).toMatchObject({
      base: 'https://upstream.example',
      version: 'v1',
      key: { kind: 'literal', value: 'sk-claude-0001' },
      profile: 'litellm',
    })
    expect(settings).toMatchObject({
      routes: [{ model: '*', upstream: 'upstream', as: 'claude-opus-4-8' }],
      callers: { kind: 'keys', keys: ['first-key-00000001', 'second-key-0000002'] },
      tasks: { image: { base: 'https://tasks.example', prefix: '/img' } },
      state: 'memory',
      losses: 'reject',
      origin: 'environment',
    })
  })

  it('refuses a profile that there is not, with the one that was meant', () => {
    const variables = {
      DRAGOMAN_DIALECT: 'responses',
      DRAGOMAN_URL: 'http://x',
      DRAGOMAN_PROFILE: 'lmstudo',
    }
    expect(attempt(() => short(variables, {}))).toMatch(
      /^ConfigError: environment: DRAGOMAN_PROFILE: .*did you mean "lmstudio"/,
    )
  })

  it('may be task services alone', () => {
    const settings = short({ DRAGOMAN_MUSIC_URL: 'https://tasks.example' }, {})
    expect(settings.upstreams.size).toBe(0)
    expect(settings.tasks.music).toMatchObject({ prefix: '/music' })
  })

  it('is not there when no variable asks for it, or all are empty', () => {
    expect(environmentSource({}).origin).toBe('demo')
    expect(environmentSource({ DRAGOMAN_URL: '', DRAGOMAN_DIALECT: ' ' }).origin).toBe('demo')
  })

  it.each([
    [{ DRAGOMAN_DIALECT: 'messages' }, 'environment: DRAGOMAN_URL: is missing; expected a string'],
    [
      { DRAGOMAN_KEY: 'sk-1', DRAGOMAN_DIALECT: 'messages' },
      'environment: DRAGOMAN_URL: is missing; expected a string',
    ],
    [
      { DRAGOMAN_URL: 'http://x' },
      `environment: DRAGOMAN_DIALECT: is missing; expected ${ONE_DIALECT}`,
    ],
    [
      { DRAGOMAN_URL: 'x', DRAGOMAN_DIALECT: 'messages' },
      'environment: DRAGOMAN_URL: expected a URL such as https://host/path',
    ],
    [
      { DRAGOMAN_URL: 'http://x', DRAGOMAN_DIALECT: 'messages', DRAGOMAN_CALLER_KEYS: '' },
      'environment: DRAGOMAN_CALLER_KEYS: expected the keys of the callers (or "open"), because others than this machine can call',
    ],
    [{ DRAGOMAN_MUSIC_KEY: 'x' }, 'environment: DRAGOMAN_MUSIC_URL: is missing; expected a string'],
  ])('%j: %s', (variables: Environment, message) =>
    expect(attempt(() => short({ DRAGOMAN_CALLER_KEYS: 'caller-key-0123456', ...variables }))).toBe(
      `ConfigError: ${message}`,
    ),
  )
})

describe('the demo', () => {
  it('has one upstream per dialect, and a place for any other model', () => {
    const { upstreams, routes, callers, origin } = short({}, {})
    expect([...upstreams.values()].map(({ name, base, key }) => [name, base, key.kind])).toEqual(
      DIALECTS.map((dialect) => [`demo-${dialect}`, `http://demo.invalid/${dialect}`, 'none']),
    )
    expect(routes).toContainEqual({ model: '*', upstream: 'demo-messages' })
    expect([callers, origin]).toEqual([{ kind: 'open' }, 'demo'])
  })

  it('can be locked, and is when others can call', () => {
    const locked = short({ DRAGOMAN_CALLER_KEYS: 'first-key-00000001' })
    expect(locked.callers).toEqual({ kind: 'keys', keys: ['first-key-00000001'] })
    expect(() => short({})).toThrow('demo: DRAGOMAN_CALLER_KEYS: expected the keys')
  })
})

function attempt(action: () => unknown): string {
  try {
    action()
    return ''
  } catch (error) {
    return String(error)
  }
}
