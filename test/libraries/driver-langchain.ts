import type { Driver, Outcome } from '../sdk/driver.ts'
import type { Stop, Wire } from '../sdk/script.ts'
import { BASE, CALLER_KEY } from '../sdk/stage.ts'
import { library } from './installed.ts'

/** What LangChain makes of a reply. */
interface Message {
  content: unknown
  additional_kwargs: Wire
  tool_calls?: { id?: string; name: string; args: Wire }[]
  usage_metadata?: {
    input_tokens: number
    output_tokens: number
    input_token_details?: { cache_read?: number }
    output_token_details?: { reasoning?: number }
  }
  response_metadata: Wire
  concat(next: Message): Message
}
interface Model {
  invoke(messages: readonly unknown[]): Promise<Message>
  stream(messages: readonly unknown[]): Promise<AsyncIterable<Message>>
  bindTools(tools: readonly object[]): Model
}
interface Core {
  HumanMessage: new (content: unknown) => Message
  SystemMessage: new (content: unknown) => Message
  ToolMessage: new (fields: object) => Message
}

/** LangChain, which reads strictly, shows thoughts, and brings neither them nor their proofs back. */
export async function langchainDriver(): Promise<Driver> {
  const { ChatOpenAI } = (await library('@langchain/openai')) as {
    ChatOpenAI: new (fields: object) => Model
  }
  const core = (await library('@langchain/core/messages')) as Core
  return {
    name: '@langchain/openai',
    asked: 'gpt-4o',
    dialect: 'chat-completions',
    talk({ fetch }, options) {
      const bare = new ChatOpenAI({
        model: 'gpt-4o',
        apiKey: CALLER_KEY,
        configuration: { baseURL: `${BASE}/v1`, fetch },
        maxRetries: 0,
        streamUsage: true,
        ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
        ...(options.stopAt && { stop: options.stopAt }),
        ...(options.thinking && { modelKwargs: { reasoning_effort: 'medium' } }),
      })
      const tools = options.tools?.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: schema },
      }))
      const model = tools ? bare.bindTools(tools) : bare
      const history: Message[] = []
      if (options.system !== undefined) history.push(new core.SystemMessage(options.system))
      const turn = async (...messages: Message[]): Promise<Outcome> => {
        history.push(...messages)
        const said = options.stream
          ? await gathered(await model.stream(history))
          : await model.invoke(history)
        history.push(said)
        return outcome(said)
      }
      return {
        say: (words, image) =>
          turn(
            new core.HumanMessage(
              image
                ? [
                    {
                      type: 'image_url',
                      image_url: { url: `data:${image.mediaType};base64,${image.data}` },
                    },
                    { type: 'text', text: words },
                  ]
                : words,
            ),
          ),
        answer: (answers) =>
          turn(
            ...answers.map(
              ({ call, output }) =>
                new core.ToolMessage({ content: output, tool_call_id: call.id, name: call.name }),
            ),
          ),
      }
    },
  }
}

async function gathered(chunks: AsyncIterable<Message>): Promise<Message> {
  let whole: Message | undefined
  for await (const chunk of chunks) whole = whole ? whole.concat(chunk) : chunk
  if (!whole) throw new Error('nothing came')
  return whole
}

const STOPS = new Map<unknown, Stop>([
  ['tool_calls', 'tool-call'],
  ['length', 'length'],
  ['content_filter', 'refusal'],
])

function outcome(said: Message): Outcome {
  const { content, additional_kwargs, tool_calls = [], usage_metadata, response_metadata } = said
  return {
    text: typeof content === 'string' ? content : JSON.stringify(content),
    thinking: String(additional_kwargs['reasoning_content'] ?? ''),
    calls: tool_calls.map(({ id = '', name, args }) => ({ id, name, input: args })),
    stop: STOPS.get(response_metadata['finish_reason']) ?? 'stop',
    counts: usage_metadata
      ? {
          input: usage_metadata.input_tokens,
          output: usage_metadata.output_tokens,
          cached: usage_metadata.input_token_details?.cache_read ?? 0,
          reasoning: usage_metadata.output_token_details?.reasoning ?? 0,
        }
      : {},
    model: String(response_metadata['model_name'] ?? response_metadata['model'] ?? ''),
  }
}
