import type {
  ChatCompletion,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import type { Driver, Outcome, ToolAnswer } from './driver.ts'
import { openaiClient } from './driver-openai.ts'
import type { Stop, Wire } from './script.ts'

/** The library as most programs use it: the reply's message goes back whole. */
export const chatDriver: Driver = {
  name: 'openai, chat',
  asked: 'gpt-4o',
  dialect: 'chat-completions',
  talk(stage, options) {
    const client = openaiClient(stage)
    const history: ChatCompletionMessageParam[] = []
    if (options.system !== undefined) history.push({ role: 'system', content: options.system })
    const tools = options.tools?.map(({ name, description, schema }) => ({
      type: 'function' as const,
      function: { name, description, parameters: schema },
    }))
    const turn = async (messages: ChatCompletionMessageParam[]): Promise<Outcome> => {
      history.push(...messages)
      const body: ChatCompletionCreateParamsNonStreaming = {
        model: 'gpt-4o',
        messages: history,
        ...(tools && { tools }),
        ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
        ...(options.temperature !== undefined && { temperature: options.temperature }),
        ...(options.stopAt && { stop: options.stopAt }),
        ...(options.thinking && { reasoning_effort: 'medium' }),
      }
      const completion = options.stream
        ? await gathered(client, body)
        : await client.chat.completions.create(body)
      const message = completion.choices[0]?.message
      if (message) history.push(message)
      return outcome(completion)
    }
    return {
      say: (words, image) =>
        turn([
          {
            role: 'user',
            content: image
              ? [imagePart(image.mediaType, image.data), { type: 'text', text: words }]
              : words,
          },
        ]),
      answer: (answers) => turn(answers.flatMap(results)),
    }
  },
}

type Client = ReturnType<typeof openaiClient>

/** The library's own strict reader; of members that it does not know it keeps the last piece, so they are gathered. */
async function gathered(
  client: Client,
  body: ChatCompletionCreateParamsNonStreaming,
): Promise<ChatCompletion> {
  const stream = client.chat.completions.stream({
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  })
  const details: Wire[] = []
  let thoughts = ''
  stream.on('chunk', ({ choices }) => {
    const delta = (choices[0]?.delta ?? {}) as Wire
    const thought = delta['reasoning_content'] ?? delta['reasoning']
    if (typeof thought === 'string') thoughts += thought
    for (const entry of (delta['reasoning_details'] ?? []) as Wire[]) addEntry(details, entry)
  })
  const completion = await stream.finalChatCompletion()
  const [choice] = completion.choices
  if (choice && thoughts !== '') Object.assign(choice.message, { reasoning_content: thoughts })
  if (choice && details.length > 0) Object.assign(choice.message, { reasoning_details: details })
  return completion
}

function addEntry(details: Wire[], entry: Wire): void {
  const last = details.at(-1)
  const isMore = last?.['type'] === 'reasoning.text' && last['index'] === entry['index']
  if (last && isMore && entry['type'] === last['type'])
    Object.assign(last, entry, { text: `${String(last['text'])}${String(entry['text'] ?? '')}` })
  else details.push({ ...entry })
}

const imagePart = (mediaType: string, data: string): ChatCompletionContentPart => ({
  type: 'image_url',
  image_url: { url: `data:${mediaType};base64,${data}` },
})

/** The types allow no image in a result, and servers that take one are known all the same. */
function results({ call, output, image }: ToolAnswer): ChatCompletionMessageParam[] {
  const parts = [
    { type: 'text', text: output },
    ...(image ? [imagePart(image.mediaType, image.data)] : []),
  ]
  const content = (image ? parts : output) as string
  return [{ role: 'tool', tool_call_id: call.id, content }]
}

function outcome({ choices, usage, model }: ChatCompletion): Outcome {
  const [choice] = choices
  const message = choice?.message
  const told = message as unknown as Wire | undefined
  return {
    text: message?.content ?? '',
    thinking: String(told?.['reasoning_content'] ?? told?.['reasoning'] ?? ''),
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }]
        : [],
    ),
    stop: readStop(choice),
    counts: usage
      ? {
          input: usage.prompt_tokens,
          cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
          output: usage.completion_tokens,
          reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
        }
      : {},
    model,
  }
}

function readStop(choice: ChatCompletion.Choice | undefined): Stop {
  if (choice?.message.refusal || choice?.finish_reason === 'content_filter') return 'refusal'
  if (choice?.finish_reason === 'length') return 'length'
  return choice?.finish_reason === 'tool_calls' ? 'tool-call' : 'stop'
}
