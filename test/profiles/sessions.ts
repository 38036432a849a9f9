import {
  isObject,
  objectIn,
  objectsOf,
  parseObject,
  type Json,
  type JsonObject,
} from '../../src/json/json.ts'
import type { Site } from './stand-in.ts'
import { CODEX_OPTIONS, CODEX_PERMISSIONS } from '../dialects/responses/codex.ts'

/** What an agent made of one answer. */
export interface Turn {
  text: string
  calls: { name: string; namespace?: string; input: string }[]
}

/** An agent's session as its traffic shows it: words, a call for each kind of tool it brings, and more words. */
export interface Session {
  agent: string
  play(site: Site): Promise<Turn[]>
}

/** What was said instead of an answer. */
export class RefusedError extends Error {}

async function post(
  site: Site,
  path: string,
  headers: Record<string, string>,
  body: Json,
): Promise<Response> {
  const answer = await site.fetch(`http://proxy.invalid${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new RefusedError(`${answer.status} ${await answer.text()}`)
  return answer
}

const readJson = async (answer: Response): Promise<JsonObject> =>
  parseObject(await answer.text()) ?? {}

async function readEvents(answer: Response): Promise<JsonObject[]> {
  const text = await answer.text()
  return [...text.matchAll(/^data: (\{.*)$/gm)]
    .map(([, data = '']) => parseObject(data))
    .filter((event) => event !== undefined)
}

const LARK = { type: 'grammar', syntax: 'lark', definition: 'start: SOURCE\nSOURCE: /.+/s' }
const CELL = {
  type: 'object',
  properties: { cell: { type: 'string' } },
  required: ['cell'],
  additionalProperties: false,
}

const CODEX_TOOLS = [
  { type: 'function', name: 'shell', description: 'Runs.', strict: false, parameters: CELL },
  { type: 'custom', name: 'apply_patch', description: 'Patches.', format: LARK },
  {
    type: 'namespace',
    name: 'mcp__notes',
    description: 'Notes.',
    tools: [
      { type: 'function', name: 'search', description: 'Finds.', strict: false, parameters: CELL },
    ],
  },
  { type: 'web_search', external_web_access: false },
]

/** Codex 0.144 declares them in the conversation, in a namespace of the harness. */
const LATE_TOOLS = {
  type: 'additional_tools',
  role: 'developer',
  tools: [
    {
      type: 'namespace',
      name: 'functions',
      description: 'Tools of the harness.',
      tools: CODEX_TOOLS.slice(0, 2),
    },
  ],
}

/** Codex has no words for what it does not know: a thought without a text, and a proof that is null. */
const asCodexKeeps = (item: JsonObject): JsonObject =>
  item['type'] === 'reasoning'
    ? {
        ...item,
        content: item['content'] ?? null,
        encrypted_content: item['encrypted_content'] || null,
      }
    : item

const namespaceOf = (name: string): string => (name === 'search' ? 'mcp__notes' : 'functions')

function codex(agent: string, tools: JsonObject[], late: JsonObject[], names: string[]): Session {
  return {
    agent,
    async play(site) {
      const turns: Turn[] = []
      const input: JsonObject[] = [...late, CODEX_PERMISSIONS]
      const ask = async (): Promise<JsonObject[]> => {
        const body = {
          ...CODEX_OPTIONS,
          input,
          ...(tools.length > 0 && { tools }),
        }
        const events = await readEvents(await post(site, '/v1/responses', {}, body))
        const items = events
          .filter(({ type }) => type === 'response.output_item.done')
          .map(({ item }) => objectIn(item))
        input.push(...items.map(asCodexKeeps))
        turns.push(fromItems(items))
        return items
      }
      const say = (text: string) =>
        input.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
      say('Say hello.')
      await ask()
      for (const name of names) {
        // A server without namespaces knows it by both names.
        say(`Please call ${name}, or call ${namespaceOf(name)}__${name}`)
        const items = await ask()
        for (const { type, call_id } of items)
          if (type === 'function_call' || type === 'custom_tool_call')
            input.push({ type: `${type}_output`, call_id: call_id ?? '', output: 'It is done.' })
        await ask()
      }
      say('Thank you.')
      await ask()
      return turns
    },
  }
}

function fromItems(items: JsonObject[]): Turn {
  return {
    text: items
      .flatMap(({ type, content }) => (type === 'message' ? objectsOf(content) : []))
      .map(({ text }) => String(text))
      .join(''),
    calls: items
      .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
      .map(({ type, name, namespace, input, arguments: said }) => ({
        name: String(name),
        ...(typeof namespace === 'string' && { namespace }),
        input: String(type === 'custom_tool_call' ? input : said),
      })),
  }
}

/** The openai library as it comes: what it says is to be kept, and the next turn refers to it. */
const openai: Session = {
  agent: 'openai, with a memory',
  async play(site) {
    const turns: Turn[] = []
    let previous: Json = null
    const ask = async (input: Json): Promise<JsonObject[]> => {
      const body = {
        model: 'gpt-6-astra',
        input,
        tools: CODEX_TOOLS.slice(0, 1),
        ...(previous !== null && { previous_response_id: previous }),
      }
      const reply = await readJson(await post(site, '/v1/responses', {}, body))
      previous = reply['id'] ?? null
      const items = objectsOf(reply['output'])
      turns.push(fromItems(items))
      return items
    }
    await ask('Say hello.')
    const [call] = (await ask('Please call shell')).filter(({ type }) => type === 'function_call')
    await ask([
      { type: 'function_call_output', call_id: call?.['call_id'] ?? '', output: 'It is done.' },
    ])
    return turns
  },
}

const claudeCode: Session = {
  agent: 'Claude Code',
  async play(site) {
    const turns: Turn[] = []
    const messages: JsonObject[] = []
    const cached = { cache_control: { type: 'ephemeral' } }
    const ask = async (...content: JsonObject[]): Promise<JsonObject[]> => {
      messages.push({ role: 'user', content })
      const body = {
        model: 'claude-opus-4-8',
        max_tokens: 32_000,
        stream: true,
        system: [{ type: 'text', text: 'You are Claude Code.', ...cached }],
        messages,
        tools: [
          { name: 'Bash', description: 'Runs a command.', input_schema: CELL, ...cached },
          { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
        ],
        metadata: { user_id: 'user_3f_account__session_5a' },
        thinking: { type: 'enabled', budget_tokens: 4000 },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      }
      const headers = {
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'interleaved-thinking-2025-05-14,context-management-2025-06-27',
      }
      const blocks = gathered(await readEvents(await post(site, '/v1/messages', headers, body)))
      messages.push({ role: 'assistant', content: blocks })
      turns.push({
        text: blocks.map(({ type, text }) => (type === 'text' ? String(text) : '')).join(''),
        calls: blocks
          .filter(({ type }) => type === 'tool_use')
          .map(({ name, input }) => ({ name: String(name), input: JSON.stringify(input) })),
      })
      return blocks
    }
    await ask({ type: 'text', text: 'Say hello.', ...cached })
    const [call] = (await ask({ type: 'text', text: 'Please call Bash' })).filter(
      ({ type }) => type === 'tool_use',
    )
    const picture = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    await ask({
      type: 'tool_result',
      tool_use_id: call?.['id'] ?? '',
      content: [
        { type: 'text', text: 'It is done.' },
        { type: 'image', source: picture },
      ],
    })
    await ask({ type: 'text', text: 'Thank you.' })
    return turns
  },
}

/** Blocks out of their start and deltas. */
function gathered(events: readonly JsonObject[]): JsonObject[] {
  const blocks: JsonObject[] = []
  const inputs = new Map<number, string>()
  for (const { type, index, content_block, delta } of events) {
    const at = Number(index)
    if (type === 'content_block_start') blocks[at] = { ...objectIn(content_block) }
    const block = blocks[at]
    if (type !== 'content_block_delta' || !block) continue
    const { text, thinking, signature, partial_json } = objectIn(delta)
    if (text !== undefined) block['text'] = `${block['text']}${text}`
    if (thinking !== undefined) block['thinking'] = `${block['thinking']}${thinking}`
    if (signature !== undefined) block['signature'] = signature
    if (partial_json !== undefined) inputs.set(at, `${inputs.get(at) ?? ''}${partial_json}`)
  }
  for (const [at, text] of inputs) {
    const block = blocks[at]
    if (block) block['input'] = parseObject(text) ?? {}
  }
  return blocks
}

const geminiCli: Session = {
  agent: 'Gemini CLI',
  async play(site) {
    const turns: Turn[] = []
    const contents: JsonObject[] = []
    const ask = async (...parts: JsonObject[]): Promise<JsonObject[]> => {
      contents.push({ role: 'user', parts })
      const body = {
        contents,
        systemInstruction: { role: 'user', parts: [{ text: 'You are an agent.' }] },
        tools: [
          {
            functionDeclarations: [
              { name: 'run_shell', description: 'Runs.', parametersJsonSchema: CELL },
            ],
          },
        ],
        generationConfig: {
          temperature: 1,
          topP: 0.95,
          topK: 64,
          thinkingConfig: { includeThoughts: true, thinkingBudget: 4000 },
        },
      }
      const path = '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse'
      const events = await readEvents(await post(site, path, {}, body))
      const said = events.flatMap(({ candidates }) =>
        objectsOf(candidates).flatMap(({ content }) => objectsOf(objectIn(content)['parts'])),
      )
      contents.push({ role: 'model', parts: said })
      turns.push({
        text: said.map(({ text, thought }) => (thought ? '' : String(text ?? ''))).join(''),
        calls: said.flatMap(({ functionCall }) =>
          isObject(functionCall)
            ? { name: String(functionCall['name']), input: JSON.stringify(functionCall['args']) }
            : [],
        ),
      })
      return said
    }
    await ask({ text: 'Say hello.' })
    const [call] = (await ask({ text: 'Please call run_shell' })).flatMap(({ functionCall }) =>
      isObject(functionCall) ? functionCall : [],
    )
    const { id, name } = objectIn(call)
    const response = { output: 'It is done.' }
    await ask({
      functionResponse: { ...(id !== undefined && { id }), name: name ?? 'run_shell', response },
    })
    await ask({ text: 'Thank you.' })
    return turns
  },
}

const chatClient: Session = {
  agent: 'a chat client',
  async play(site) {
    const turns: Turn[] = []
    const messages: JsonObject[] = [{ role: 'developer', content: 'You are an agent.' }]
    const ask = async (...said: JsonObject[]): Promise<JsonObject[]> => {
      messages.push(...said)
      const body = {
        model: 'some-model',
        messages,
        max_completion_tokens: 4000,
        seed: 7,
        store: false,
        user: 'u-1',
        reasoning_effort: 'medium',
        tools: [
          { type: 'function', function: { name: 'shell', parameters: CELL } },
          { type: 'custom', custom: { name: 'patch', format: { type: 'grammar', grammar: LARK } } },
        ],
      }
      const reply = await readJson(await post(site, '/v1/chat/completions', {}, body))
      const message = objectIn(objectsOf(reply['choices'])[0]?.['message'])
      messages.push(message)
      const calls = objectsOf(message['tool_calls'])
      turns.push({
        text: String(message['content'] ?? ''),
        calls: calls.map((call) => {
          const called = objectIn(call['function'] ?? call['custom'])
          return {
            name: String(called['name']),
            input: String(call['custom'] ? called['input'] : called['arguments']),
          }
        }),
      })
      return calls
    }
    await ask({ role: 'user', content: 'Say hello.', name: 'ann' })
    for (const name of ['shell', 'patch']) {
      const [call] = await ask({ role: 'user', content: `Please call ${name}` })
      await ask({ role: 'tool', tool_call_id: call?.['id'] ?? '', content: 'It is done.' })
    }
    await ask({ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Thank you.' })
    return turns
  },
}

export const SESSIONS: readonly Session[] = [
  codex('Codex', CODEX_TOOLS, [], ['shell', 'apply_patch', 'search']),
  codex('Codex 0.144', [], [LATE_TOOLS], ['shell', 'apply_patch']),
  openai,
  claudeCode,
  geminiCli,
  chatClient,
]
