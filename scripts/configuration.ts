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
      .replace(/^(.*) or list of \1s?$/, '$1 or a list of them')
      .replace(/^string or list of string or objects$/, 'string or a list')
  if (only !== undefined) return code(only)
  if (values) return values.map(code).join(', ')
  if (type === 'array')
    return `list of ${takenBy(items as Schema)}`.replace(/^list of (.*\w)$/, 'list of $1s')
  if (type === 'integer') return `integer${bounds(minimum, maximum)}`
  return typeof type === 'string' ? type : 'anything'
}

/** That numbers begin at 1 goes without saying. */
function bounds(minimum = 1, maximum = Infinity): string {
  if (maximum <= 1000) return ` ${minimum}–${maximum}`
  return minimum === 1 ? '' : `, from ${minimum}`
}

const code = (value: unknown): string =>
  `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

export const allMembers = (): ConfigMember[] => configMembers(z.toJSONSchema(configSchema))

/** What has the fields of another one is told there. */
const TOLD_ELSEWHERE =
  /^(?:tasks\.music|callers\.keys\.\*\.limits|routes\.\*\.failover|upstreams\.\*\.compaction)\./

const told = (): ConfigMember[] => allMembers().filter(({ place }) => !TOLD_ELSEWHERE.test(place))

/** The section in whose list a place stands: the nearest one that holds it. */
const sectionOf = (place: string): string =>
  SECTIONS.map(([, section]) => section)
    .filter((section) => section === '' || place.startsWith(`${section}.`))
    .toSorted((one, other) => other.length - one.length)[0] ?? ''

/** The kind of value, or an example that shows it. */
function shownKind(takes: string, example: unknown): string {
  if (example === undefined) return takes
  const shown = `\`${JSON.stringify(example)}\``
  if (/^(?:object|list of (?:strings|integers?.*))$/.test(takes)) return shown
  return takes.replace(/^string\b/, shown)
}

interface Told {
  name: string
  takes: string
  means: string
}

function toldOf({ place, takes }: ConfigMember, section: string): Told {
  const { means = '', usual, example } = findWord(place) ?? {}
  const kind = shownKind(takes, example)
  return {
    name: `\`${place.slice(section === '' ? 0 : section.length + 1)}\``,
    takes: usual === undefined ? kind : `${kind}; ${marked(usual)}`,
    means: marked(means),
  }
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

/** An object whose fields stand in the same list is not listed itself. */
function rowsOf(section: string): ConfigMember[] {
  const all = told().filter(({ place }) => sectionOf(place) === section)
  return all.filter(
    ({ place, takes }) =>
      takes !== 'object' || !all.some((other) => other.place.startsWith(`${place}.`)),
  )
}

const writeList = (section: string): string =>
  rowsOf(section)
    .map((member) => toldOf(member, section))
    .map(({ name, takes, means }) => `- **${name}** (${takes}): ${means}`)
    .join('\n')

const SECTIONS: readonly (readonly [heading: string, section: string, words: string])[] = [
  [
    'The whole',
    '',
    'More on [losses](losses.md), [compaction](long-sessions.md), [metrics, traces and the log](operations.md), [record](upgrading.md), [inspect](inspect.md). An editor that is a web page has an origin too: `vscode-webview://…`. `tasks.music` has the fields of `tasks.image`.',
  ],
  ['upstreams', 'upstreams.*', 'Each has a name of letters, digits, `.`, `_` and `-`.'],
  [
    'upstreams.*.models',
    'upstreams.*.models.*',
    'What is true of a model, by its name at the upstream; `*` matches anything, and the first match wins. Where the default is *known*, [the table of models](models.md) decides: say only what it gets wrong or cannot know.',
  ],
  [
    'upstreams.*.profile',
    'upstreams.*.profile',
    'The name of a [profile](profiles.md), or an object of these facts.',
  ],
  [
    'upstreams.*.auth',
    'upstreams.*.auth',
    'As an object: [a key that is made here](clouds.md#keys-that-are-made).',
  ],
  [
    'routes',
    'routes.*',
    'The first whose `model` matches decides. A mark such as `[1m]` after a name is ignored. [Pools](pools.md) explains lists of upstreams, classes and failover.',
  ],
  ['failover', 'failover', 'Applies only to routes with several upstreams or keys.'],
  [
    'callers',
    'callers',
    '`"open"`, or an object. A caller sends its key as a bearer token, `x-api-key`, `x-goog-api-key` or `?key=`. Keys are compared by their hashes, so the file need not hold one: `printf %s "$KEY" | sha256sum`. `keys.*.limits` has the fields of `limits`. [How limits count](operations.md#callers-and-their-limits).',
  ],
  ['before', 'before', '[A webhook](operations.md#a-webhook-before-each-request).'],
  ['state', 'state', '[What is remembered](memory.md).'],
  [
    'limits',
    'limits',
    'Above them the caller gets an error in its own API format: 413, 408, or 503 with `retry-after`. `connections`, `headersMs`, `drainMs` and `lingerMs` do nothing on Workers.',
  ],
]

const HEAD = `# Configuration

<!-- generated by \`npm run docs\` from the schema; edit scripts/config-words/ and scripts/configuration.ts -->

One JSON document; comments and trailing commas are allowed. Editors complete and explain it by \`dist/dragoman.schema.json\`, which \`npm run build\` writes.

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

A *dialect* is an API format: \`messages\` (Anthropic), \`responses\` or \`chat-completions\` (OpenAI), \`generate-content\` (Gemini). \`dragoman check\` lists everything that is wrong with the document, with line and column, and warns of what is probably a mistake.

## Where it is found

The first of these that exists:

1. \`--config FILE\`;
2. \`DRAGOMAN_CONFIG\`: a file name, or the document itself (on Workers always the document, or a table in \`wrangler.toml\`);
3. \`dragoman.json\` in the working directory;
4. the variables below alone;
5. the demo: one upstream per dialect in this process, as the models \`demo-messages\`, \`demo-generate-content\`, \`demo-responses\` and \`demo-chat-completions\`.

## Secrets

Write a key as \`env:NAME\`, or as \`file:/PATH\` for a file's content (on Node). Keys appear in no log, error or reply.

## Variables

They fill in what the document leaves out. Where both say something, the document wins, with a warning. An unknown \`DRAGOMAN_…\` variable is an error; an empty one counts as unset.

- \`DRAGOMAN_DIALECT\`, \`DRAGOMAN_URL\`, \`DRAGOMAN_KEY\`: one upstream for every model
- \`DRAGOMAN_MODEL\`: the model's name there
- \`DRAGOMAN_PROFILE\`: the name of its server's [profile](profiles.md)
- \`DRAGOMAN_CALLER_KEYS\`: \`callers\`: keys separated by commas, or \`open\`
- \`DRAGOMAN_IMAGE_URL\`, \`DRAGOMAN_IMAGE_KEY\`: \`tasks.image\`
- \`DRAGOMAN_MUSIC_URL\`, \`DRAGOMAN_MUSIC_KEY\`: \`tasks.music\`
- \`DRAGOMAN_STATE\`: \`state.store\`
- \`DRAGOMAN_LOSSES\`: \`losses\`
- \`DRAGOMAN_CONFIG\`: see above
- \`DRAGOMAN_WARM\`: \`off\` does what \`--no-warm\` does: [no exchanges of its own](platforms/node.md#the-first-requests) at the start
- \`DRAGOMAN_WORKERS\`: the default of \`--workers\`: [how many processes](scale.md#one-machine-several-cores) share the port
- \`PORT\`, \`HOST\`: the defaults of \`--port\` and \`--host\`: 8787 and 127.0.0.1

## Reading the lists

In parentheses: what a field takes (a value in quotes or brackets is an example), then after a semicolon the default. Integers are at least 1 unless a range is given.
`

/** Fields with a section of their own stand there; all others are listed in the nearest one. */
export const configurationPage = (): string =>
  [
    HEAD,
    ...SECTIONS.map(([heading, section, words]) =>
      [`## ${heading}`, words, `${writeList(section)}\n`].join('\n\n'),
    ),
  ].join('\n')

/** Fields of which a list would have nothing to say. */
export const untold = (): string[] =>
  told()
    .filter(({ place }) => findWord(place) === undefined)
    .map(({ place }) => place)

if (process.argv[1] === new URL(import.meta.url).pathname) {
  if (process.argv.includes('--write')) writeFileSync(PAGE, configurationPage())
  else console.log(configurationPage())
}
