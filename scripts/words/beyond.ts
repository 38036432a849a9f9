import { readFileSync } from 'node:fs'
import type { Dialect } from '../../adapters/dialect.ts'
import { packageFolder, SIDES, fatedWords } from './census.ts'
import { declarationsIn } from './declarations.ts'
import { Samples } from './samples.ts'
import { REQUESTS } from './wires.ts'

/** Words that are no part of a request or a reply: of streams, errors, headers and tasks beside the conversation. */
interface Group {
  readonly title: string
  readonly files: readonly string[]
  readonly roots: readonly string[]
  /** What becomes of them; by word where it is not the same for all, with a star for those that begin so. */
  readonly decision: string
  readonly but?: Readonly<Record<string, string>>
}

const ANTHROPIC = [...REQUESTS.messages.files, 'resources/shared.d.ts', 'resources/beta/beta.d.ts']
const STREAM =
  'Read, and written as the events of the other dialect; a stream says what its gathered reply says.'
const PASSED = 'Between two sides of this dialect as it came'
const STEER =
  'Only on a socket (`GET /v1/responses` with an upgrade): lanes, steering, which is refused there, and warm-ups.'

export const BEYOND: Readonly<Record<Dialect, readonly Group[]>> = {
  messages: [
    {
      title: 'Streams and counts',
      files: ANTHROPIC,
      roots: ['RawMessageStreamEvent', 'BetaRawMessageStreamEvent', 'BetaMessageTokensCount'],
      decision: STREAM,
      but: {
        estimated_tokens: `${PASSED}; other dialects have no running count.`,
        original_input_tokens: `${PASSED}; other dialects have one count.`,
      },
    },
    {
      title: 'Errors',
      files: ANTHROPIC,
      roots: ['ErrorResponse', 'BetaErrorResponse', '/ErrorDetails$/'],
      decision: `${PASSED}; for callers of others the kind and the message stay, in their own form.`,
    },
    {
      title: 'Values of `anthropic-beta`',
      files: ANTHROPIC,
      roots: ['AnthropicBeta'],
      decision: `${PASSED}, as any other value does; no other service has such names.`,
      but: {
        'mcp-client-2025-11-20': `${PASSED}; added where servers of tools are sent.`,
        'interleaved-thinking-2025-05-14': `${PASSED}; lets \`budget_tokens\` exceed \`max_tokens\`.`,
      },
    },
  ],
  'generate-content': [],
  responses: [
    {
      title: 'Streams and counts',
      files: [...REQUESTS.responses.files, 'resources/responses/input-tokens.d.ts'],
      roots: ['ResponseStreamEvent', 'ResponsesServerEvent', 'InputTokenCountResponse'],
      decision: STREAM,
      but: {
        'response.steer*': STEER,
        stream_id: STEER,
        required_input: STEER,
        waiting_for_required_input: STEER,
        response_not_found: STEER,
        response_not_active: STEER,
        response_already_completed: STEER,
        invalid_input: STEER,
        steering_not_supported: STEER,
        too_many_pending_steers: STEER,
        successor_creation_failed: STEER,
        'response.compaction.compacting': `${PASSED}; progress alone.`,
        'response.audio*': `${PASSED}; speech is of no other dialect’s text.`,
        'response.shell_call*': `${PASSED}; the item says it again when it is done.`,
        command_index: `${PASSED}; the item says it again when it is done.`,
        'partial_image*': `${PASSED}; the picture comes when it is done.`,
        'response.image_generation_call*': `${PASSED}; the picture comes when it is done.`,
        'response.mcp_list_tools*': `${PASSED}; progress alone.`,
        obfuscation: `${PASSED}; padding.`,
      },
    },
    {
      title: 'Errors and other endpoints',
      files: [...REQUESTS.responses.files, 'resources/shared.d.ts'],
      roots: ['ErrorObject', 'CompactedResponse', 'ResponsesClientEvent'],
      decision: STEER,
      but: {
        'response.compaction':
          'Of `/v1/responses/compact`, which is answered by a service of the same dialect, or with a summary that is written here.',
      },
    },
  ],
  'chat-completions': [
    {
      title: 'Streams',
      files: [...REQUESTS['chat-completions'].files, 'resources/completions.d.ts'],
      roots: ['ChatCompletionChunk'],
      decision: STREAM,
      but: { obfuscation: `${PASSED}; padding.` },
    },
  ],
}

const NONE = { omit: new Set<string>(), echo: new Set<string>() }

/** The words of a group that no request or reply has, each with what becomes of it. */
export function beyond(dialect: Dialect, group: Group): Map<string, string> {
  const known = new Set(
    SIDES.flatMap((side) => fatedWords(dialect, side)).map(({ kind, word }) => `${kind} ${word}`),
  )
  const folder = packageFolder(REQUESTS[dialect].package)
  const found = declarationsIn(
    group.files.map((file) => readFileSync(new URL(file, folder), 'utf8')),
  )
  const samples = new Samples(found, { ...NONE, values: new Map(), least: new Map() })
  const names = group.roots.flatMap((root) => {
    if (!root.startsWith('/')) return [root]
    const pattern = new RegExp(root.slice(1, -1))
    return [...found.keys()].filter((name) => pattern.test(name))
  })
  const words = samples
    .of(
      { kind: 'either', of: names.map((name) => ({ kind: 'named', name, scope: '' })) },
      (body) => body,
    )
    .filter(({ kind, word }) => !known.has(`${kind} ${word}`))
    .map(({ word }) => word)
  return new Map([...new Set(words)].toSorted().map((word) => [word, decided(word, group)]))
}

function decided(word: string, { decision, but = {} }: Group): string {
  const rule = Object.keys(but).find((each) =>
    each.endsWith('*') ? word.startsWith(each.slice(0, -1)) : word === each,
  )
  return (rule === undefined ? undefined : but[rule]) ?? decision
}
