import { GoogleGenAI, type GenerateContentResponse, type Part } from '@google/genai'
import type { Driver, Outcome, ToolAnswer } from './driver.ts'
import type { Counts, Stop } from './script.ts'
import { BASE, CALLER_KEY, type Stage } from './stage.ts'

export const genaiClient = (stage: Stage): GoogleGenAI =>
  new GoogleGenAI({
    apiKey: CALLER_KEY,
    httpOptions: { baseUrl: BASE, fetch: stage.fetch },
  })

export const genaiDriver: Driver = {
  name: '@google/genai',
  asked: 'gemini-3-pro',
  dialect: 'generate-content',
  talk(stage, options) {
    const functionDeclarations = options.tools?.map(({ name, description, schema }) => ({
      name,
      description,
      parametersJsonSchema: schema,
    }))
    const chat = genaiClient(stage).chats.create({
      model: 'gemini-3-pro',
      config: {
        ...(options.system !== undefined && { systemInstruction: options.system }),
        ...(functionDeclarations && { tools: [{ functionDeclarations }] }),
        ...(options.maxTokens !== undefined && { maxOutputTokens: options.maxTokens }),
        ...(options.temperature !== undefined && { temperature: options.temperature }),
        ...(options.stopAt && { stopSequences: options.stopAt }),
        ...(options.thinking && {
          thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
        }),
      },
    })
    const turn = async (message: Part[]): Promise<Outcome> => {
      if (!options.stream) return outcome([await chat.sendMessage({ message })])
      const chunks: GenerateContentResponse[] = []
      for await (const chunk of await chat.sendMessageStream({ message })) chunks.push(chunk)
      return outcome(chunks)
    }
    return {
      say: (words, image) =>
        turn([
          ...(image ? [{ inlineData: { mimeType: image.mediaType, data: image.data } }] : []),
          { text: words },
        ]),
      answer: (answers) => turn(answers.flatMap(resultParts)),
    }
  },
}

function resultParts({ call, output, failed, image }: ToolAnswer): Part[] {
  const parts = image ? [{ inlineData: { mimeType: image.mediaType, data: image.data } }] : []
  return [
    {
      functionResponse: {
        ...(call.id !== '' && { id: call.id }),
        name: call.name,
        response: failed ? { error: output } : { output },
        ...(image && { parts }),
      },
    },
  ]
}

function outcome(chunks: GenerateContentResponse[]): Outcome {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall
      ? [
          {
            id: functionCall.id ?? '',
            name: functionCall.name ?? '',
            input: functionCall.args ?? {},
          },
        ]
      : [],
  )
  const words = (thought: boolean) =>
    parts.map((part) => ((part.thought ?? false) === thought ? (part.text ?? '') : '')).join('')
  return {
    text: words(false),
    thinking: words(true),
    calls,
    stop: readStop(chunks, calls.length),
    counts: readCounts(chunks.at(-1)),
    model: chunks.at(-1)?.modelVersion ?? '',
  }
}

function readStop(chunks: GenerateContentResponse[], calls: number): Stop {
  const reason = chunks.findLast((chunk) => chunk.candidates?.[0]?.finishReason)?.candidates?.[0]
    ?.finishReason
  if (reason === 'MAX_TOKENS') return 'length'
  if (reason !== 'STOP') return 'refusal'
  return calls > 0 ? 'tool-call' : 'stop'
}

function readCounts(last: GenerateContentResponse | undefined): Partial<Counts> {
  const usage = last?.usageMetadata
  if (!usage) return {}
  const reasoning = usage.thoughtsTokenCount ?? 0
  return {
    input: usage.promptTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
    output: (usage.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
  }
}
