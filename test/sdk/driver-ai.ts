import {
  generateText,
  jsonSchema,
  streamText,
  tool,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai'
import type { Driver, Outcome, TalkOptions, ToolAnswer, ToolOffer } from './driver.ts'
import type { Dialect, Stop, Wire } from './script.ts'
import type { Stage } from './stage.ts'

// What a dialect lacks is its own business here, and not a reader's of the test's output.
globalThis.AI_SDK_LOG_WARNINGS = false

export interface Provider {
  name: string
  asked: string
  /** Has no place for thoughts in what it reads and writes. */
  forgetsThoughts?: boolean
  model(stage: Stage): LanguageModel
}
const STOPS: Record<string, Stop> = {
  stop: 'stop',
  'tool-calls': 'tool-call',
  length: 'length',
  'content-filter': 'refusal',
}

/** The AI SDK over the provider of a dialect. */
export const aiDriver = (dialect: Dialect, provider: Provider): Driver => ({
  name: provider.name,
  asked: provider.asked,
  ...(provider.forgetsThoughts && { forgetsThoughts: true }),
  dialect,
  talk(stage, options) {
    const model = provider.model(stage)
    const history: ModelMessage[] = []
    const turn = async (message: ModelMessage): Promise<Outcome> => {
      history.push(message)
      const settings: Settings = { ...writeSettings(options), model, messages: history }
      const result = options.stream ? await streamed(settings) : await generateText(settings)
      history.push(...result.response.messages)
      return outcome(result)
    }
    return {
      say: (words, image) =>
        turn({
          role: 'user',
          content: [
            ...(image
              ? [{ type: 'image' as const, image: image.data, mediaType: image.mediaType }]
              : []),
            { type: 'text', text: words },
          ],
        }),
      answer: (answers) => turn({ role: 'tool', content: answers.map(resultPart) }),
    }
  },
})

type Settings = Parameters<typeof generateText>[0] & Parameters<typeof streamText>[0]

const writeSettings = (options: TalkOptions) => ({
  maxRetries: 0,
  ...(options.system !== undefined && { system: options.system }),
  ...(options.maxTokens !== undefined && { maxOutputTokens: options.maxTokens }),
  ...(options.temperature !== undefined && { temperature: options.temperature }),
  ...(options.stopAt && { stopSequences: options.stopAt }),
  ...(options.tools && { tools: toolSet(options.tools) }),
  providerOptions: options.thinking ? THINKING : QUIET,
})

const toolSet = (offers: ToolOffer[]): ToolSet =>
  Object.fromEntries(
    offers.map(({ name, description, schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema<Wire>(schema) }),
    ]),
  )

type ProviderOptions = NonNullable<Settings['providerOptions']>
const QUIET: ProviderOptions = { openai: { store: false } }
const THINKING: ProviderOptions = {
  openai: { store: false, reasoningEffort: 'medium', reasoningSummary: 'auto' },
  anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } },
  google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } },
  openrouter: { reasoning: { effort: 'medium' } },
}

interface Finished {
  text: string
  reasoningText: string | undefined
  toolCalls: { toolCallId: string; toolName: string; input: unknown }[]
  finishReason: string
  usage: Awaited<ReturnType<typeof generateText>>['usage']
  response: { messages: ModelMessage[]; modelId: string }
}

async function streamed(settings: Parameters<typeof streamText>[0]): Promise<Finished> {
  let failure: unknown
  const result = streamText({ ...settings, onError: ({ error }) => void (failure = error) })
  await result.consumeStream()
  if (failure !== undefined) throw failure
  return {
    text: await result.text,
    reasoningText: await result.reasoningText,
    toolCalls: await result.toolCalls,
    finishReason: await result.finishReason,
    usage: await result.usage,
    response: await result.response,
  }
}

function outcome(result: Finished): Outcome {
  const { usage } = result
  return {
    text: result.text,
    thinking: result.reasoningText ?? '',
    calls: result.toolCalls.map(({ toolCallId, toolName, input }) => ({
      id: toolCallId,
      name: toolName,
      input: input as Wire,
    })),
    stop: STOPS[result.finishReason] ?? 'stop',
    counts: {
      input: usage.inputTokens ?? -1,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      output: usage.outputTokens ?? -1,
      ...(usage.outputTokenDetails.reasoningTokens !== undefined && {
        reasoning: usage.outputTokenDetails.reasoningTokens,
      }),
    },
    model: result.response.modelId,
  }
}

const resultPart = ({ call, output, failed, image }: ToolAnswer) => ({
  type: 'tool-result' as const,
  toolCallId: call.id,
  toolName: call.name,
  output: image
    ? {
        type: 'content' as const,
        value: [
          { type: 'text' as const, text: output },
          { type: 'file-data' as const, data: image.data, mediaType: image.mediaType },
        ],
      }
    : { type: failed ? ('error-text' as const) : ('text' as const), value: output },
})
