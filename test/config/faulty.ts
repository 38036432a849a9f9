import type { Platform } from '../../src/config/config.ts'
import { PROCESS_LIMITS } from '../../src/config/defaults.ts'
import { sha256Hex } from '../../src/json/sha256.ts'
import type { Environment } from '../../src/config/values.ts'
import { ONE_DIALECT } from './one-dialect.ts'

export const PLATFORM: Platform = { listens: { host: '127.0.0.1', port: 8787 } }
/** The same as checks are given it, which is with every member, before it is known where the proxy listens. */
export const ALL_OF_PLATFORM: Required<Platform> = {
  origin: 'configuration',
  exposed: false,
  limits: PROCESS_LIMITS,
  stores: 'process',
  listens: undefined,
}
const EXPOSED: Platform = { exposed: true }
export const KEY = 'sk-very-secret-value'
const BRACES =
  'braces stand for themselves here; only "*" has a meaning: write an entry for each name'

export interface Case {
  what: string
  text: string
  environment?: Environment
  platform?: Platform
  /** Lines without the name of the file. */
  says: readonly string[]
}

/** One upstream on the second line, at the column of its name. */
export const upstream = (members: string, more = '') =>
  `{ "upstreams": {\n  "a": { ${members} }\n}${more} }`
export const good = '"dialect": "messages", "url": "https://upstream.example"'
const routes = (...list: string[]) => `,\n"routes": [\n  ${list.join(',\n  ')}\n]`
const route = (model: string, more = '') => `{ "model": "${model}", "upstream": "a"${more} }`

export const FAULTY: readonly Case[] = [
  {
    what: 'a star in a name at the upstream without one to stand for',
    text: upstream(
      good,
      routes(
        route('gpt-5', ', "as": "openai/*"'),
        route('*opus*', ', "as": "*"'),
        route('gpt-*', ', "as": "*/*"'),
        '{ "model": "o1", "upstream": [{ "name": "a", "as": "*" }] }',
        route('o-*', ', "as": "openai/*"'),
        route('*', ', "as": "*"'),
      ),
    ),
    says: [
      '5:46: routes[0].as: its "*" stands for what the "*" of "model" does; expected exactly one there',
      '6:47: routes[1].as: its "*" stands for what the "*" of "model" does; expected exactly one there',
      '7:46: routes[2].as: expected at most one "*"',
      '8:54: routes[3].upstream[0].as: its "*" stands for what the "*" of "model" does; expected exactly one there',
    ],
  },
  {
    what: 'nothing at all',
    text: '',
    says: ['1:1: expected a JSON value, but the text ends here'],
  },
  {
    what: 'nothing but comments',
    text: '// later\n',
    says: ['2:1: expected a JSON value, but the text ends here'],
  },
  {
    what: 'a brace that is not closed',
    text: '{\n  "upstreams": {\n',
    says: ['3:1: expected a field name in double quotes or "}", but the text ends here'],
  },
  {
    what: 'a comma that is missing',
    text: '{\n  "losses": "report"\n  "limits": {} }',
    says: ['3:3: expected a comma or "}"'],
  },
  {
    what: 'single quotes',
    text: "{\n  'losses': 'report' }",
    says: ['2:3: expected a field name in double quotes or "}"'],
  },
  {
    what: 'a name without quotes',
    text: '{ losses: "report" }',
    says: ['1:3: expected a field name in double quotes or "}"'],
  },
  { what: 'an equals sign', text: '{ "losses" = "report" }', says: ['1:12: expected a colon'] },
  {
    what: 'a word that is no value',
    text: '{ "losses": report }',
    says: ['1:13: expected a JSON value'],
  },
  {
    what: 'YAML',
    text: 'upstreams:\n  a:\n    url: x\n',
    says: ['1:1: expected a JSON value'],
  },
  {
    what: 'a string that goes on',
    text: '{ "losses": "rep\nort" }',
    says: ['1:13: expected a string that ends on its line, with "\\\\" for a backslash'],
  },
  {
    what: 'a backslash that is none',
    text: '{ "state": { "store": "sqlite:C:\\data\\state.db" } }',
    says: ['1:23: expected a string that ends on its line, with "\\\\" for a backslash'],
  },
  {
    what: 'a member said twice',
    text: upstream(`${good}, "key": "k", "key": "l"`),
    says: ['2:80: expected "key" only once'],
  },
  { what: 'a list', text: '[]', says: ['1:1: expected an object'] },
  { what: 'no upstream', text: '{}', says: ['1:1: upstreams: expected at least one upstream'] },
  {
    what: 'upstreams as a list',
    text: '{ "upstreams": [{}] }',
    says: ['1:16: upstreams: expected an object'],
  },
  {
    what: 'one upstream, not named',
    text: `{ "upstream": { ${good} } }`,
    says: ['1:3: upstream: no such field exists; did you mean "upstreams"?'],
  },
  {
    what: 'another name of a vendor',
    text: upstream('"dialect": "anthropic", "url": "https://x"'),
    says: [`2:21: upstreams.a.dialect: expected ${ONE_DIALECT}; did you mean "messages"?`],
  },
  {
    what: 'a dialect with a typing error',
    text: upstream('"dialect": "mesages", "url": "https://x"'),
    says: [`2:21: upstreams.a.dialect: expected ${ONE_DIALECT}; did you mean "messages"?`],
  },
  {
    what: 'a dialect with an underscore',
    text: upstream('"dialect": "generate_content", "url": "https://x"'),
    says: [`2:21: upstreams.a.dialect: expected ${ONE_DIALECT}; did you mean "generate-content"?`],
  },
  {
    what: 'no dialect',
    text: upstream('"url": "https://x"'),
    says: [`2:8: upstreams.a.dialect: is missing; expected ${ONE_DIALECT}`],
  },
  {
    what: 'no address',
    text: upstream('"dialect": "messages"'),
    says: ['2:8: upstreams.a.url: is missing; expected a string'],
  },
  {
    what: 'a member of another program',
    text: upstream('"dialect": "messages", "baseUrl": "https://x"'),
    says: ['2:33: upstreams.a.baseUrl: no such field exists; did you mean "url"?'],
  },
  {
    what: 'a misspelled member beside a faulty one of the name that it means',
    text: upstream('"dialekt": "x", "dialect": "messages", "url": 5, "urls": 6'),
    says: [
      '2:10: upstreams.a.dialekt: no such field exists; did you mean "dialect"?',
      '2:56: upstreams.a.url: expected a string',
      '2:59: upstreams.a.urls: no such field exists; did you mean "url"?',
    ],
  },
  {
    what: 'two such members',
    text: upstream('"dialect": "messages", "base_url": "https://x", "apiKey": "k"'),
    says: [
      '2:33: upstreams.a.base_url: no such field exists; did you mean "url"?',
      '2:58: upstreams.a.apiKey: no such field exists; did you mean "key"?',
    ],
  },
  {
    what: 'an address without a scheme',
    text: upstream('"dialect": "messages", "url": "upstream.example"'),
    says: ['2:40: upstreams.a.url: expected a URL such as https://host/path'],
  },
  {
    what: 'a scheme that is none',
    text: upstream('"dialect": "messages", "url": "ws://upstream.example"'),
    says: ['2:40: upstreams.a.url: expected a URL such as https://host/path'],
  },
  {
    what: 'a key in the address',
    text: upstream(`"dialect": "messages", "url": "https://x/?key=${KEY}"`),
    says: ['2:40: upstreams.a.url: expected a URL without "?" and "#"'],
  },
  {
    what: 'a password in the address',
    text: upstream(`"dialect": "messages", "url": "https://me:${KEY}@x"`),
    says: [
      '2:40: upstreams.a.url: expected a URL without a user name; a credential belongs in "key"',
    ],
  },
  {
    what: 'a key that is a number',
    text: upstream(`${good}, "key": 7`),
    says: ['2:75: upstreams.a.key: expected a string, or a list of keys'],
  },
  {
    what: 'an empty key',
    text: upstream(`${good}, "key": ""`),
    says: ['2:75: upstreams.a.key: expected some text'],
  },
  {
    what: 'a key with a space',
    text: upstream(`${good}, "key": "Bearer ${KEY}"`),
    says: ['2:75: upstreams.a.key: expected the key alone, without "Bearer" before it'],
  },
  {
    what: 'a key of two words',
    text: upstream(`${good}, "key": "two ${KEY}"`),
    says: [
      '2:75: upstreams.a.key: expected a key of visible ASCII characters without spaces, and no quotes around it',
    ],
  },
  ...[
    ['api_base', 'upstreams.a', 'url'],
    ['base_url', 'upstreams.a', 'url'],
    ['endpoint', 'upstreams.a', 'url'],
    ['apiBase', 'upstreams.a', 'url'],
    ['timeout', 'upstreams.a', 'timeouts'],
    ['provider', 'upstreams.a', 'dialect'],
    ['rpm', 'upstreams.a', 'callers.limits.requestsPerMinute'],
    ['TPM', 'upstreams.a', 'callers.limits.tokensPerMinute'],
    ['fallbacks', 'upstreams.a', 'routes.*.upstream'],
  ].map(([word, at, meant]) => ({
    what: `${word} of an upstream`,
    text: upstream(`${good}, "${word}": 1`),
    says: [`2:68: ${at}.${word}: no such field exists; did you mean "${meant}"?`],
  })),
  ...[
    ['port', '--port'],
    ['host', '--host'],
    ['timeout', 'upstreams.*.timeouts'],
    ['fallbacks', 'failover'],
    ['rpm', 'callers.limits.requestsPerMinute'],
    ['model_list', 'routes'],
  ].map(([word, meant]) => ({
    what: `${word} at the top`,
    text: upstream(good, `,\n"${word}": 1`),
    says: [`4:1: ${word}: no such field exists; did you mean "${meant}"?`],
  })),
  {
    what: 'limits of callers as others call them',
    text: upstream(good, `,\n"callers": { "keys": ["${KEY}"],\n"limits": { "rpm": 1, "tpm": 1 } }`),
    says: [
      '5:13: callers.limits.rpm: no such field exists; did you mean "requestsPerMinute"?',
      '5:23: callers.limits.tpm: no such field exists; did you mean "tokensPerMinute"?',
    ],
  },
  {
    what: 'fallbacks of a route',
    text: upstream(good, routes('{ "model": "*", "fallbacks": ["a"] }')),
    says: ['5:19: routes[0].fallbacks: no such field exists; did you mean "upstream"?'],
  },
  {
    what: 'amounts with units',
    text: upstream(
      `${good}, "timeouts": { "idleMs": "30s" }`,
      ',\n"limits": { "bodyBytes": "10mb", "streams": "20", "nodes": "9x" },\n"state": { "ttlSeconds": "7 days" }',
    ),
    says: [
      '2:92: upstreams.a.timeouts.idleMs: expected a number; did you mean 30000?',
      '4:26: limits.bodyBytes: expected a number; did you mean 10485760?',
      '4:45: limits.streams: expected a number; did you mean 20?',
      '4:60: limits.nodes: expected a number',
      '5:26: state.ttlSeconds: expected a number; did you mean 604800?',
    ],
  },
  {
    what: 'a variable that is not set',
    text: upstream(`${good}, "key": "env:NO_KEY"`),
    says: ['2:75: upstreams.a.key: the environment variable NO_KEY is not set'],
  },
  {
    what: 'a variable that is nearly one that is set',
    text: upstream(`${good}, "key": "env:CLAUD_KEY"`),
    environment: { CLAUDE_KEY: KEY, HOME: '/root', KEY: 'x', 'file:/CLAUD_KEY': 'x' },
    says: [
      '2:75: upstreams.a.key: the environment variable CLAUD_KEY is not set; did you mean "CLAUDE_KEY"?',
    ],
  },
  {
    what: 'a variable that vendors call otherwise',
    text: upstream(`${good}, "key": "env:OPENAI_KEY"`),
    environment: { OPENAI_ORG: 'x', OPENAI_API_KEY: KEY },
    says: [
      '2:75: upstreams.a.key: the environment variable OPENAI_KEY is not set; did you mean "OPENAI_API_KEY"?',
    ],
  },
  {
    what: 'a variable that is like none',
    text: upstream(`${good}, "key": "env:HOME_KEY"`),
    environment: { CLAUDE_TOKEN: KEY, HOME: '/root', KEY: 'x', PATH: '/bin' },
    says: ['2:75: upstreams.a.key: the environment variable HOME_KEY is not set'],
  },
  {
    what: 'a variable without a name',
    text: upstream(`${good}, "key": "env:"`),
    says: ['2:75: upstreams.a.key: expected the name of a variable behind "env:"'],
  },
  {
    what: 'a variable that is empty',
    text: upstream(`${good}, "key": "env:BLANK"`),
    environment: { BLANK: ' ' },
    says: ['2:75: upstreams.a.key: the environment variable BLANK is empty'],
  },
  {
    what: 'a style that does not exist',
    text: upstream(`${good}, "auth": "Bearer"`),
    says: [
      '2:76: upstreams.a.auth: expected one of "x-api-key", "bearer", "x-goog-api-key", "api-key", "query", or {"google"}, {"aws"} or {"entra"}; did you mean "bearer"?',
    ],
  },
  {
    what: 'a header that cannot be set',
    text: upstream(`${good}, "headers": { "x-a": "1", "Content-Length": "5" }`),
    says: [
      '2:93: upstreams.a.headers.Content-Length: this header belongs to the connection and cannot be set',
    ],
  },
  {
    what: 'a name of a header with a space',
    text: upstream(`${good}, "headers": { "x a": "1" }`),
    says: ['2:81: upstreams.a.headers["x a"]: expected the name of a header'],
  },
  {
    what: 'a number as text',
    text: upstream(`${good}, "maxOutputTokens": "8192"`),
    says: ['2:87: upstreams.a.maxOutputTokens: expected a number; did you mean 8192?'],
  },
  {
    what: 'a fact that does not exist',
    text: upstream(`${good}, "models": { "m": { "contextwindow": 5 } }`),
    says: [
      '2:87: upstreams.a.models.m.contextwindow: no such field exists; did you mean "contextWindow"?',
    ],
  },
  {
    what: 'a deployment that is no model that is known',
    text: upstream(`${good}, "models": { "m": { "is": "claude-opus-5-6" } }`),
    says: [
      '2:93: upstreams.a.models.m.is: expected the name of a known model; did you mean "claude-opus-5-5"?',
    ],
  },
  {
    what: 'names of models that go round in a ring',
    text: upstream(`${good}, "models": { "m": { "is": "n" }, "n": { "is": "m" } }`),
    says: [
      '2:93: upstreams.a.models.m.is: leads back to m; name a known model',
      '2:113: upstreams.a.models.n.is: leads back to n; name a known model',
    ],
  },
  {
    what: 'a style of thinking that does not exist',
    text: upstream(`${good}, "models": { "m": { "thinking": "levels" } }`),
    says: [
      '2:99: upstreams.a.models.m.thinking: expected one of "budget", "adaptive", "level"; did you mean "level"?',
    ],
  },
  {
    what: 'seconds for milliseconds',
    text: upstream(`${good}, "timeouts": { "idle": 5 }`),
    says: ['2:82: upstreams.a.timeouts.idle: no such field exists; did you mean "idleMs"?'],
  },
  {
    what: 'half a millisecond',
    text: upstream(`${good}, "timeouts": { "idleMs": 0.5 }`),
    says: ['2:92: upstreams.a.timeouts.idleMs: expected a whole number'],
  },
  {
    what: 'a name with a space',
    text: `{ "upstreams": {\n  "my upstream": { ${good} } } }`,
    says: ['2:3: upstreams["my upstream"]: expected a name of letters, digits, ".", "_" and "-"'],
  },
  {
    what: 'two upstreams and no route',
    text: `{ "upstreams": {\n  "a": { ${good} },\n  "b": { ${good} } } }`,
    says: ['1:1: routes: expected at least one route, such as {"model": "*", "upstream": "a"}'],
  },
  {
    what: 'an empty list of routes',
    text: upstream(good, ',\n"routes": []'),
    says: ['4:11: routes: expected at least one route, such as {"model": "*", "upstream": "a"}'],
  },
  {
    what: 'an upstream without a name',
    text: `{ "upstreams": {\n${good} } }`,
    says: [
      '2:12: upstreams.dialect: expected an object',
      '2:31: upstreams.url: expected an object',
    ],
  },
  {
    what: 'members of the whole within an upstream',
    text: upstream(`${good}, "callers": "open"`),
    says: ['2:68: upstreams.a.callers: no such field exists here, but at the top'],
  },
  {
    what: 'a list of a route with a name that there is not',
    text: upstream(good, routes('{ "model": "*", "upstream": ["a", "none"] }')),
    says: ['5:37: routes[0].upstream[1]: expected the name of an upstream (a)'],
  },
  {
    what: 'a route to nowhere',
    text: upstream(good, routes('{ "model": "*", "upstream": "aa" }')),
    says: ['5:31: routes[0].upstream: expected the name of an upstream (a); did you mean "a"?'],
  },
  {
    what: 'a route without a model',
    text: upstream(good, routes('{ "upstream": "a" }')),
    says: ['5:3: routes[0].model: is missing; expected a string'],
  },
  {
    what: 'a route with typing errors',
    text: upstream(good, routes('{ "modle": "*", "upstraem": "a" }')),
    says: [
      '5:5: routes[0].modle: no such field exists; did you mean "model"?',
      '5:19: routes[0].upstraem: no such field exists; did you mean "upstream"?',
    ],
  },
  {
    what: 'routes as an object',
    text: upstream(good, ',\n"routes": { "*": "a" }'),
    says: ['4:11: routes: expected an array'],
  },
  {
    what: 'a listed model that the route does not take',
    text: upstream(good, routes(route('gpt-*', ', "models": ["gpt-5", "o3"]'))),
    says: ['5:60: routes[0].models[1]: expected a name that "gpt-*" stands for'],
  },
  {
    what: 'callers as a list',
    text: upstream(good, ',\n"callers": ["k"]'),
    says: ['4:12: callers: expected "open" or {"keys": [...]}'],
  },
  {
    what: 'callers that are closed',
    text: upstream(good, ',\n"callers": "closed"'),
    says: ['4:12: callers: expected "open" or {"keys": [...]}'],
  },
  {
    what: 'a short key of a caller',
    text: upstream(good, ',\n"callers": { "keys": ["short"] }'),
    says: ['4:23: callers.keys[0]: expected a key of 16 to 512 characters'],
  },
  {
    what: 'a budget of nothing',
    text: upstream(good, `,\n"callers": { "keys": ["${KEY}"], "limits": { "usdPerDay": 0 } }`),
    says: ['4:73: callers.limits.usdPerDay: expected more than 0'],
  },
  {
    what: 'no callers where others can call',
    text: upstream(good),
    platform: EXPOSED,
    says: [
      '1:1: callers: expected the keys of the callers (or "open"), because others than this machine can call',
    ],
  },
  {
    what: 'a task that does not exist',
    text: upstream(good, ',\n"tasks": { "images": { "url": "https://x" } }'),
    says: ['4:12: tasks.images: no such field exists; did you mean "image"?'],
  },
  {
    what: 'a prefix without a slash',
    text: upstream(good, ',\n"tasks": { "image": { "url": "https://x", "prefix": "mj" } }'),
    says: ['4:53: tasks.image.prefix: expected a path that begins with "/"'],
  },
  {
    what: 'a store that does not exist',
    text: upstream(good, ',\n"state": { "store": "postgres://x" }'),
    says: ['4:21: state.store: expected memory, sqlite:FILE, redis://HOST or off'],
  },
  {
    what: 'state as a word',
    text: upstream(good, ',\n"state": "memory"'),
    says: ['4:10: state: expected an object'],
  },
  {
    what: 'losses of another kind',
    text: upstream(good, ',\n"losses": "rejected"'),
    says: ['4:11: losses: expected "report", "reject" or {"mode", "trailer"}'],
  },
  {
    what: 'a limit that does not exist',
    text: upstream(good, ',\n"limits": { "bodybytes": 5, "stream": 3 }'),
    says: [
      '4:13: limits.bodybytes: no such field exists; did you mean "bodyBytes"?',
      '4:29: limits.stream: no such field exists; did you mean "streams"?',
    ],
  },
  {
    what: 'a limit below one',
    text: upstream(good, ',\n"limits": { "bodyBytes": 0 }'),
    says: ['4:26: limits.bodyBytes: expected at least 1'],
  },
  {
    what: 'an origin that is a pattern',
    text: upstream(good, ',\n"web": { "origins": ["https://a.example", "*"] }'),
    says: [
      '4:21: web.origins: warning: callers are open, so these pages spend your keys',
      '4:43: web.origins[1]: expected one origin; "*" would let in every page there is',
    ],
  },
  {
    what: 'an origin with a slash',
    text: upstream(good, ',\n"web": { "origins": ["https://chat.example/"] }'),
    says: [
      '4:21: web.origins: warning: callers are open, so these pages spend your keys',
      '4:22: web.origins[0]: expected an origin as browsers send it, such as https://chat.example or http://localhost:5173; did you mean "https://chat.example"?',
    ],
  },
  {
    what: 'a variable that holds quotes',
    text: upstream(`${good}, "key": "env:CLAUDE_KEY"`),
    environment: { CLAUDE_KEY: `"${KEY}"` },
    says: [
      '2:75: upstreams.a.key: expected a key of visible ASCII characters without spaces, and no quotes around it',
    ],
  },
  {
    what: 'many faults at once',
    text: `{\n  // two upstreams\n  "upstreams": {\n    "a": { "dialect": "message", "url": "x" },\n    "b": { "dialect": "responses", "url": "https://b", "key": "env:B", },\n  },\n  "routes": [{ "model": "*", "upstream": "c" }],\n  "loses": "report",\n}`,
    says: [
      `4:23: upstreams.a.dialect: expected ${ONE_DIALECT}; did you mean "messages"?`,
      '4:41: upstreams.a.url: expected a URL such as https://host/path',
      '5:63: upstreams.b.key: the environment variable B is not set',
      '7:42: routes[0].upstream: expected the name of an upstream (a, b)',
      '8:3: loses: no such field exists; did you mean "losses"?',
    ],
  },
]

const keyed = (url: string, key = KEY) => `"dialect": "messages", "url": "${url}", "key": "${key}"`

export const ODD: readonly Case[] = [
  { what: 'nothing odd', text: upstream(keyed('https://upstream.example/api/v1')), says: [] },
  {
    what: 'a route behind one that takes everything',
    text: upstream(good, routes(route('*'), route('gpt-5'))),
    says: [
      '6:14: routes[1].model: warning: shadowed: routes[0] comes first and takes every model that this one would',
    ],
  },
  {
    what: 'a route behind a wider one, and one that is not',
    text: upstream(good, routes(route('gpt-*'), route('gpt-5*'), route('*-mini'))),
    says: [
      '6:14: routes[1].model: warning: shadowed: routes[0] comes first and takes every model that this one would',
    ],
  },
  {
    what: 'an upstream that no route leads to',
    text: `{ "upstreams": {\n  "a": { ${good} },\n  "b": { ${good} }\n}${routes(route('*'))} }`,
    says: ['3:3: upstreams.b: warning: no route leads to this upstream'],
  },
  {
    what: 'an endpoint',
    text: upstream(keyed('https://upstream.example/v1/messages')),
    says: [
      '2:40: upstreams.a.url: warning: this is an endpoint; leave out "/messages", which is added to what is sent',
    ],
  },
  {
    what: 'an endpoint that ends in a slash',
    text: upstream(keyed('https://x/api/v1/responses/')),
    says: [
      '2:40: upstreams.a.url: warning: this is an endpoint; leave out "/responses", which is added to what is sent',
    ],
  },
  {
    what: 'an endpoint of another dialect',
    text: upstream(keyed('https://x/v1/chat/completions')),
    says: [
      '2:40: upstreams.a.url: warning: this is an endpoint; leave out "/chat/completions", which is added to what is sent',
    ],
  },
  {
    what: 'an endpoint with a version where one without would do',
    text: upstream(
      '"dialect": "chat-completions", "url": "https://upstream.example/v4/chat/completions"',
    ),
    says: [
      '2:48: upstreams.a.url: warning: this is an endpoint; leave out "/chat/completions", which is added to what is sent',
    ],
  },
  {
    what: 'an endpoint without a version, which says that there is none',
    text: upstream(
      '"dialect": "chat-completions", "url": "https://upstream.example/chat/completions/"',
    ),
    says: [],
  },
  {
    what: 'an endpoint with a model',
    text: upstream(keyed('https://x/v1beta/models/m:generateContent')),
    says: [
      '2:40: upstreams.a.url: warning: this is an endpoint; leave out "/models/m:generateContent", which is added to what is sent',
    ],
  },
  {
    what: 'a variable of a shell',
    text: upstream(keyed('https://x', '$CLAUDE_KEY')),
    says: [
      '2:60: upstreams.a.key: nothing is filled in here; for a variable write "env:CLAUDE_KEY"',
    ],
  },
  {
    what: 'a file by a path that is not from the root',
    text: upstream(
      `${keyed('https://x', 'file:secret.txt')}, "headers": { "x-a": "file:./x" }`,
      ',\n"callers": { "keys": [{ "name": "me", "key": "file:caller-key-01234567" }] },\n"metrics": { "key": "$METRICS_KEY_0123456789" }',
    ),
    says: [
      '2:60: upstreams.a.key: warning: this is used as it stands; for a file write "file:/" and its path from the root',
      '2:99: upstreams.a.headers.x-a: warning: this is used as it stands; for a file write "file:/" and its path from the root',
      '4:46: callers.keys[0].key: warning: this is used as it stands; for a file write "file:/" and its path from the root',
      '5:21: metrics.key: nothing is filled in here; for a variable write "env:METRICS_KEY_0123456789"',
    ],
  },
  ...[
    '${CLAUDE_KEY}',
    '${CLAUDE_KEY:-none}',
    '{{CLAUDE_KEY}}',
    '{{ CLAUDE_KEY }}',
    '{{ env.CLAUDE_KEY }}',
    '{{ $CLAUDE_KEY }}',
    '$env:CLAUDE_KEY',
    '${env:CLAUDE_KEY}',
    'os.environ/CLAUDE_KEY',
    'process.env.CLAUDE_KEY',
    "process.env['CLAUDE_KEY']",
  ].map((key) => ({
    what: `${key} in the place of a key`,
    text: upstream(keyed('https://x', key)),
    says: [
      '2:60: upstreams.a.key: nothing is filled in here; for a variable write "env:CLAUDE_KEY"',
    ],
  })),
  {
    what: 'a key as it stands in a header',
    text: upstream(keyed('https://x', 'Bearer sk-0123456789')),
    says: ['2:60: upstreams.a.key: expected the key alone, without "Bearer" before it'],
  },
  {
    what: 'a template that names no variable',
    text: upstream(keyed('https://x', '{{}}')),
    says: ['2:60: upstreams.a.key: nothing is filled in here; for a variable write "env:NAME"'],
  },
  {
    what: 'a variable in braces',
    text: upstream(keyed('https://x', '${CLAUDE_KEY}')),
    says: [
      '2:60: upstreams.a.key: nothing is filled in here; for a variable write "env:CLAUDE_KEY"',
    ],
  },
  {
    what: 'a key that begins like a variable',
    text: upstream(keyed('https://x', '$ecret')),
    says: [
      '2:60: upstreams.a.key: warning: this is used as it stands; for a variable write "env:NAME"',
    ],
  },
  {
    what: 'a variable as a header',
    text: upstream(`${good}, "headers": { "x-a": "$A" }`),
    says: [
      '2:88: upstreams.a.headers.x-a: warning: this is used as it stands; for a variable write "env:A"',
    ],
  },
  {
    what: 'a variable as the key of a caller',
    text: upstream(good, ',\n"callers": { "keys": ["${PROXY_KEY_OF_MINE}"] }'),
    says: [
      '4:23: callers.keys[0]: nothing is filled in here; for a variable write "env:PROXY_KEY_OF_MINE"',
    ],
  },
  {
    what: 'a key without encryption',
    text: upstream(keyed('http://10.0.0.5:8000')),
    says: [
      '2:40: upstreams.a.url: warning: the key goes to another machine without encryption; expected https',
    ],
  },
  { what: 'a key for this machine', text: upstream(keyed('http://localhost:8000')), says: [] },
  {
    what: 'no key without encryption',
    text: upstream('"dialect": "messages", "url": "http://x"'),
    says: [],
  },
  {
    what: 'signs of regular expressions',
    text: upstream(
      good,
      routes(route('^gpt-.*$'), route('claude-[45]'), route('claude-opus[1m]'), route('o+')),
    ),
    says: [
      '5:14: routes[0].model: warning: this looks like a regular expression; only "*" has a meaning here',
      '6:14: routes[1].model: warning: this looks like a regular expression; only "*" has a meaning here',
    ],
  },
  {
    what: 'braces in names of models',
    text: upstream(
      `${good}, "models": { "gpt-{4,5}": {} }`,
      routes(route('claude-{opus,sonnet}-*'), route('gpt-5}')) +
        `,\n"callers": { "keys": [{ "name": "ci", "key": "${KEY}", "models": ["*", "o{3,4}"] }] }`,
    ),
    says: [
      `2:80: upstreams.a.models["gpt-{4,5}"]: warning: ${BRACES}`,
      `5:14: routes[0].model: warning: ${BRACES}`,
      `6:14: routes[1].model: warning: ${BRACES}`,
      `8:86: callers.keys[0].models[1]: warning: ${BRACES}`,
    ],
  },
  {
    what: 'a key of callers twice without a name',
    text: upstream(
      good,
      `,\n"callers": { "keys": [ "${KEY}", "another-key-0123456789",\n"env:SAME", "sha256:${sha256Hex(KEY)}" ] }`,
    ),
    environment: { SAME: KEY },
    says: [
      '5:1: callers.keys[2]: warning: the same key as callers.keys[0]',
      '5:13: callers.keys[3]: warning: the same key as callers.keys[0]',
    ],
  },
  {
    what: 'an address that shall hold a variable',
    text: upstream('"dialect": "messages", "url": "https://${HOST}/v1"'),
    says: ['2:40: upstreams.a.url: warning: this is used as it stands; no variable is read'],
  },
  {
    what: 'a body that has no room',
    text: upstream(good, ',\n"limits": { "bodyBytes": 536870912 }'),
    says: [
      '4:26: limits.bodyBytes: warning: there is no room for a body of 536870912 bytes in 268435456 in flight, however long it waits',
    ],
  },
  {
    what: 'no room for a body',
    text: upstream(good, ',\n"limits": { "inFlightBytes": 1024 }'),
    says: [
      '4:30: limits.inFlightBytes: warning: there is no room for a body of 33554432 bytes in 1024 in flight, however long it waits',
    ],
  },
  {
    what: 'such signs in the facts',
    text: upstream(`${good}, "models": { "gemini-3.*": {}, "gemini-2.5*": {} }`),
    says: [
      '2:80: upstreams.a.models["gemini-3.*"]: warning: this looks like a regular expression; only "*" has a meaning here',
    ],
  },
  {
    what: 'the proxy itself',
    text: upstream('"dialect": "messages", "url": "http://localhost:8787/v1"'),
    says: [
      '2:40: upstreams.a.url: this is the address of the proxy itself, which would call itself',
    ],
  },
  {
    what: 'another port',
    text: upstream('"dialect": "messages", "url": "http://127.0.0.1:8788"'),
    says: [],
  },
  {
    what: 'the proxy as a task service',
    text: upstream(good, ',\n"tasks": { "image": { "url": "http://127.0.0.1:8787" } }'),
    says: [
      '4:30: tasks.image.url: this is the address of the proxy itself, which would call itself',
    ],
  },
  {
    what: 'open doors',
    text: upstream(good, ',\n"callers": "open"'),
    platform: EXPOSED,
    says: [
      '4:12: callers: warning: whoever reaches this address spends your keys; expected {"keys": [...]}',
    ],
  },
  {
    what: 'open doors that nobody else reaches',
    text: upstream(good, ',\n"callers": "open"'),
    says: [],
  },
  {
    what: 'a warning beside a fault',
    text: upstream(`"dialect": "message", "url": "http://x/v1/messages", "key": "$A"`),
    says: [
      `2:21: upstreams.a.dialect: expected ${ONE_DIALECT}; did you mean "messages"?`,
      '2:39: upstreams.a.url: warning: this is an endpoint; leave out "/messages", which is added to what is sent',
      '2:39: upstreams.a.url: warning: the key goes to another machine without encryption; expected https',
      '2:70: upstreams.a.key: nothing is filled in here; for a variable write "env:A"',
    ],
  },
]
