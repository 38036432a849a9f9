import Anthropic from '@anthropic-ai/sdk'
import type { Driver, Outcome, ToolAnswer } from './driver.ts'
import type { Counts, Stop, Wire } from './script.ts'
import { BASE, CALLER_KEY, type Stage } from './stage.ts'

export const anthropicClient = (stage: Stage, maxRetries = 0): Anthropic =>
  new Anthropic({ apiKey: CALLER_KEY, baseURL: BASE, fetch: stage.fetch, maxRetries })

const STOPS: Record<string, Stop> = {
  end_turn: 'stop',
  tool_use: 'tool-call',
  max_tokens: 'length',
  refusal: 'refusal',
  stop_sequence: 'stop-sequence',
}

export const anthropicDriver: Driver = {
  name: '@anthropic-ai/sdk',
  asked: 'claude-opus-4-8',
  dialect: 'messages',
  talk(stage, options) {
    const client = anthropicClient(stage)
    const history: Anthropic.MessageParam[] = []
    const tools = options.tools?.map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
    }))
    const turn = async (content: Anthropic.ContentBlockParam[]): Promise<Outcome> => {
      history.push({ role: 'user', content })
      const body: Anthropic.MessageCreateParamsNonStreaming = {
        model: 'claude-opus-4-8',
        max_tokens: options.maxTokens ?? 4096,
        messages: history,
        ...(options.system !== undefined && { system: options.system }),
        ...(tools && { tools }),
        ...(options.stopAt && { stop_sequences: options.stopAt }),
        ...(options.thinking && { thinking: { type: 'enabled', budget_tokens: 2048 } }),
      }
      const message = options.stream
        ? await client.messages.stream(body).finalMessage()
        : await client.messages.create(body)
      history.push({ role: 'assistant', content: message.content })
      return outcome(message)
    }
    return {
      say: (words, image) =>
        turn([
          ...(image ? [imageBlock(image.mediaType, image.data)] : []),
          { type: 'text', text: words },
        ]),
      answer: (answers) => turn(answers.map(resultBlock)),
    }
  },
}

const imageBlock = (mediaType: string, data: string): Anthropic.ImageBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType as 'image/png', data },
})

const resultBlock = ({
  call,
  output,
  failed,
  image,
}: ToolAnswer): Anthropic.ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: call.id,
  ...(failed && { is_error: true }),
  content: [
    { type: 'text', text: output },
    ...(image ? [imageBlock(image.mediaType, image.data)] : []),
  ],
})

function outcome(message: Anthropic.Message): Outcome {
  const { content } = message
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ id: block.id, name: block.name, input: block.input as Wire }]
        : [],
    ),
    stop: STOPS[message.stop_reason ?? ''] ?? 'stop',
    counts: readCounts(message.usage),
    model: message.model,
  }
}

function readCounts(usage: Anthropic.Usage): Partial<Counts> {
  const cached = usage.cache_read_input_tokens ?? 0
  const reasoning = usage.output_tokens_details?.thinking_tokens
  return {
    input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
    cached,
    output: usage.output_tokens,
    ...(reasoning !== undefined && { reasoning }),
  }
}
