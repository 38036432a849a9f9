/** Writes docs/configuration.md from the schema of the configuration: `node scripts/configuration.ts --write`. */
import { writeFileSync } from 'node:fs'
import * as z from 'zod/mini'
import { configSchema } from '../src/config/schema.ts'
import { findWord } from './config-words.ts'

const PAGE = new URL('../docs/configuration.md', import.meta.url)

type Schema = z.core.JSONSchema.BaseSchema

/** A member of the configuration, from the outside in. */
export interface ConfigMember {
  place: string
  takes: string
}

const inside = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`)

function configMembers(schema: Schema, place = ''): ConfigMember[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = schema
  const named = Object.entries(properties).flatMap(([name, inner]) => [
    { place: inside(place, name), takes: takenBy(inner as Schema) },
    ...configMembers(inner as Schema, inside(place, name)),
  ])
  const entries = [additionalProperties, items].flatMap((inner) =>
    typeof inner === 'object' ? configMembers(inner as Schema, inside(place, '*')) : [],
  )
  return [
    ...named,
    ...entries,
    ...anyOf.flatMap((branch) => configMembers(branch as Schema, place)),
  ]
}

function takenBy({
  type,
  enum: values,
  const: only,
  anyOf,
  items,
  minimum,
  maximum,
}: Schema): string {
  if (anyOf)
    return [...new Set(anyOf.map((branch) => takenBy(branch as Schema)))]
      .join(' or ')
      .replace(/^(.*) or list of \1s$/, '$1 or a list of them')
      .replace(/^string or list of string or objects$/, 'string or a list')
  if (only !== undefined) return code(only)
  if (values) return values.map(code).join(', ')
  if (type === 'array')
    return `list of ${takenBy(items as Schema)}`.replace(/^list of (.*)$/, 'list of $1s')
  if (type === 'integer') {
    const most = maximum !== undefined && maximum <= 1000 ? ` to ${maximum}` : ''
    return most ? `whole number, ${minimum}${most}` : `whole number, from ${minimum}`
  }
  return typeof type === 'string' ? type : 'anything'
}

const code = (value: unknown): string =>
  `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

export const allMembers = (): ConfigMember[] => configMembers(z.toJSONSchema(configSchema))

/** `tasks.image` and `tasks.music` are told once, and so are `failover` and the limits of callers. */
const told = (): ConfigMember[] => allMembers().filter(({ place }) => !TOLD_ELSEWHERE.test(place))

const TOLD_ELSEWHERE = /^(?:tasks\.music|callers\.keys\.\*\.limits|routes\.\*\.failover)\./

function row({ place, takes }: ConfigMember, section: string): string {
  const { means = '', usual, example } = findWord(place) ?? {}
  const name = place.slice(section === '' ? 0 : section.length + 1)
  const shown = example === undefined ? '' : `\`${JSON.stringify(example)}\``
  return `| ${[`\`${name}\``, takes, marked(means), marked(usual ?? ''), shown].join(' | ')} |`
}

/** What is written in a file or sent stands in the type of code. */
const marked = (text: string): string =>
  text
    .replaceAll(
      /\b(?:env:NAME|file:\/PATH|sha256:|sqlite:FILE|redis:\/\/HOST|prompt_cache_breakpoint)\b/g,
      '`$&`',
    )
    .replaceAll(/\bGET \/v1\/models\b|<\w+>/g, '`$&`')
    .replaceAll(/(?<![\w`])\/(?:v1beta|v1|img|music)\b(?!\/)/g, '`$&`')
    .replaceAll(/(?<!`)\*(?!`)/g, '`*`')

/** The member of which a place is an immediate part: `upstreams.*` of `upstreams.*.url`. */
const parentPlace = (place: string): string => place.split('.').slice(0, -1).join('.')

function writeTable(section: string): string {
  const rows = told().filter(({ place }) => parentPlace(place) === section)
  return [
    '| member | takes | meaning | default | example |',
    '|---|---|---|---|---|',
    ...rows.map((member) => row(member, section)),
  ].join('\n')
}

const SECTIONS: readonly (readonly [heading: string, section: string, words: string])[] = [
  ['The whole', '', ''],
  ['upstreams', 'upstreams.*', 'Each has a name of letters, digits, `.`, `_` and `-`.'],
  [
    'upstreams.*.models',
    'upstreams.*.models.*',
    'What is known of a model, by its name at the upstream; `*` stands for anything, and the first match wins. Only what the proxy cannot know by itself needs to be said.',
  ],
  ['upstreams.*.models.*.price', 'upstreams.*.models.*.price', ''],
  [
    'upstreams.*.profile',
    'upstreams.*.profile',
    'The name of a profile, or an object: facts, with or without a profile that they extend. See [profiles](profiles.md).',
  ],
  ['upstreams.*.auth, as a key that is made', 'upstreams.*.auth', ''],
  ['upstreams.*.auth.aws', 'upstreams.*.auth.aws', ''],
  ['upstreams.*.auth.entra', 'upstreams.*.auth.entra', ''],
  ['upstreams.*.timeouts', 'upstreams.*.timeouts', ''],
  [
    'upstreams.*.key, as a list',
    'upstreams.*.key.*',
    'An entry is a key, or an object with one. See [pools](pools.md).',
  ],
  [
    'routes',
    'routes.*',
    'The first whose `model` fits decides. A mark such as `[1m]` behind a name is passed over.',
  ],
  [
    'routes.*.upstream, as a list',
    'routes.*.upstream.*',
    'An entry is the name of an upstream, or an object with one. See [pools](pools.md).',
  ],
  [
    'compaction',
    'compaction',
    '`"serve"`, `"refuse"`, or an object. See [long sessions](long-sessions.md).',
  ],
  [
    'upstreams.*.compaction',
    'upstreams.*.compaction',
    'For one upstream; it has the members of `compaction`, whose own are not heeded then.',
  ],
  ['failover', 'failover', 'Only routes with several upstreams or keys ask it.'],
  [
    'callers',
    'callers',
    '`"open"`, or an object with `keys`. A caller presents one as bearer token, `x-api-key`, `x-goog-api-key` or `?key=`.',
  ],
  [
    'callers.keys',
    'callers.keys.*',
    'A key is a text, or an object with a name. Hashes are compared, so that the file need not hold the key: `printf %s "$KEY" | sha256sum`.',
  ],
  [
    'callers.jwt',
    'callers.jwt',
    'With them `keys` may be left out. See [operations](operations.md#tokens-in-the-place-of-keys).',
  ],
  [
    'callers.limits',
    'callers.limits',
    'Processes with one `redis://…` as `state.store` count together, over restarts. Any other counts for itself and forgets with its end: behind several of them a caller has as many times its limit. On Workers each isolate counts. The members of `callers.keys.*.limits` are the same.',
  ],
  ['before', 'before', 'See [operations](operations.md#a-webhook-before-each-request).'],
  [
    'tasks',
    'tasks.image',
    '`image` and `music` have the same members. Requests pass unchanged below `/img` and `/music`.',
  ],
  ['state', 'state', 'See [what is remembered](memory.md).'],
  ['losses', 'losses', '`"report"`, `"reject"`, or an object. See [losses](losses.md).'],
  ['telemetry', 'telemetry', 'See [operations](operations.md#traces).'],
  ['telemetry.otlp', 'telemetry.otlp', ''],
  [
    'metrics',
    'metrics',
    '`"off"`, `"on"`, or an object with a key. What is counted: [operations](operations.md#metrics).',
  ],
  ['record', 'record', 'See [before an upgrade](upgrading.md).'],
  ['log', 'log', 'See [operations](operations.md#log).'],
  [
    'web',
    'web',
    'Without it no page may call that a browser shows, and on a loopback address nobody under a foreign name. Editors that are pages have an origin too: `vscode-webview://…`.',
  ],
  [
    'limits',
    'limits',
    'Beyond them there is an error in the caller’s dialect: 413, 408, or 503 with `retry-after`. `connections` and `headersMs` do nothing on Workers, nor do `drainMs` and `lingerMs`.',
  ],
]

const HEAD = `# Configuration

<!-- generated by \`npm run docs\` from the schema; edit scripts/config-words/ and scripts/configuration.ts -->

One JSON document; comments and trailing commas are allowed. \`npm run build\` writes \`dist/dragoman.schema.json\`, by which editors complete and explain it.

\`\`\`jsonc
{
  "$schema": "./node_modules/dragoman/dist/dragoman.schema.json",
  "upstreams": {
    "claude": { "dialect": "messages", "url": "https://upstream.example", "key": "env:CLAUDE_KEY" },
    "openai": { "dialect": "responses", "url": "https://upstream.example/v1", "key": "env:OPENAI_KEY" }
  },
  "routes": [
    { "model": "gpt-*", "upstream": "openai" },
    { "model": "*", "upstream": "claude", "as": "claude-opus-4-8" }
  ],
  "callers": { "keys": ["env:PROXY_KEY"] }
}
\`\`\`

## Where it is found

The first of:

1. \`--config FILE\`;
2. \`DRAGOMAN_CONFIG\`: the name of a file, or the document itself (on Workers always the document, or a table in \`wrangler.toml\`);
3. \`dragoman.json\` in the working folder;
4. the variables below alone;
5. the demo: one upstream per dialect in this process, as the models \`demo-messages\`, \`demo-generate-content\`, \`demo-responses\` and \`demo-chat-completions\`.

\`dragoman check\` says everything that is wrong with it, with line and column, and warns of what is surely not meant.

## Secrets

A key is \`env:NAME\`, or \`file:/PATH\` for what a file holds (on Node), so that the configuration has none in it. It appears in no log, error or reply.

## Variables

They fill what the document leaves open. What both say the document decides, with a warning. An unknown \`DRAGOMAN_…\` variable is a fault; an empty one counts as absent.

| variable | fills |
|---|---|
| \`DRAGOMAN_DIALECT\`, \`DRAGOMAN_URL\`, \`DRAGOMAN_KEY\` | one upstream for every model |
| \`DRAGOMAN_MODEL\` | the name of the model there |
| \`DRAGOMAN_PROFILE\` | what the server there [does not take](profiles.md): a name |
| \`DRAGOMAN_CALLER_KEYS\` | \`callers\`: keys with commas between them, or \`open\` |
| \`DRAGOMAN_IMAGE_URL\`, \`DRAGOMAN_IMAGE_KEY\` | \`tasks.image\` |
| \`DRAGOMAN_MUSIC_URL\`, \`DRAGOMAN_MUSIC_KEY\` | \`tasks.music\` |
| \`DRAGOMAN_STATE\` | \`state.store\` |
| \`DRAGOMAN_LOSSES\` | \`losses\` |
| \`DRAGOMAN_CONFIG\` | see above |
| \`DRAGOMAN_WORKERS\` | what \`--workers\` says otherwise: [how many processes](scale.md#one-machine-several-cores) answer behind the port |
| \`PORT\`, \`HOST\` | what \`--port\` and \`--host\` say otherwise: 8787 and 127.0.0.1 |
`

/** Members whose parts have a section of their own stand there; the others are rows. */
export const configurationPage = (): string =>
  [
    HEAD,
    ...SECTIONS.map(([heading, section, words]) =>
      [`## ${heading}`, ...(words === '' ? [] : [words]), `${writeTable(section)}\n`].join('\n\n'),
    ),
  ].join('\n')

/** Members that stand in no table, nor in the words of their section. */
export const untold = (): string[] => {
  const sections = new Set(SECTIONS.map(([, section]) => section))
  return told()
    .filter(({ place }) => !sections.has(parentPlace(place)) && parentPlace(place) !== 'tasks')
    .map(({ place }) => place)
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  if (process.argv.includes('--write')) writeFileSync(PAGE, configurationPage())
  else console.log(configurationPage())
}
