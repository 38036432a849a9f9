import OpenAI from 'openai'
import type {
  Response,
  ResponseFunctionCallOutputItemList,
  ResponseInput,
  ResponseInputItem,
  ResponseInputContent,
} from 'openai/resources/responses/responses'
import type { Driver, Outcome, ToolAnswer } from './driver.ts'
import type { Stop } from './script.ts'
import { BASE, CALLER_KEY, type Stage } from './stage.ts'

export const openaiClient = (stage: Stage, maxRetries = 0): OpenAI =>
  new OpenAI({ apiKey: CALLER_KEY, baseURL: `${BASE}/v1`, fetch: stage.fetch, maxRetries })

export type AskedResponse = OpenAI.Responses.ResponseCreateParamsNonStreaming

/** The same request as JSON and through the streaming helper. */
export async function askOpenai(
  stage: Stage,
  body: AskedResponse,
  stream: boolean,
): Promise<Response> {
  const { responses } = openaiClient(stage)
  return stream
    ? responses.stream({ ...body, stream: true }).finalResponse()
    : responses.create(body)
}

export const openaiDriver: Driver = {
  name: 'openai',
  asked: 'gpt-5',
  dialect: 'responses',
  talk(stage, options) {
    const client = openaiClient(stage)
    const history: ResponseInput = []
    const tools = options.tools?.map(({ name, description, schema }) => ({
      type: 'function' as const,
      name,
      description,
      parameters: schema,
      strict: false,
    }))
    const turn = async (items: ResponseInput): Promise<Outcome> => {
      history.push(...items)
      const body = {
        model: 'gpt-5',
        input: history,
        store: false,
        include: ['reasoning.encrypted_content' as const],
        ...(options.system !== undefined && { instructions: options.system }),
        ...(tools && { tools }),
        ...(options.maxTokens !== undefined && { max_output_tokens: options.maxTokens }),
        ...(options.temperature !== undefined && { temperature: options.temperature }),
        ...(options.thinking && {
          reasoning: { effort: 'medium' as const, summary: 'auto' as const },
        }),
      }
      const response = options.stream
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body)
      history.push(...(response.output as ResponseInputItem[]))
      return outcome(response)
    }
    return {
      say: (words, image) =>
        turn([
          {
            role: 'user',
            content: [
              ...(image ? [imagePart(image.mediaType, image.data)] : []),
              { type: 'input_text', text: words },
            ],
          },
        ]),
      answer: (answers) => turn(answers.map(resultItem)),
    }
  },
}

const imagePart = (mediaType: string, data: string): ResponseInputContent => ({
  type: 'input_image',
  detail: 'auto',
  image_url: `data:${mediaType};base64,${data}`,
})

function resultItem({ call, output, image }: ToolAnswer): ResponseInputItem.FunctionCallOutput {
  const parts = [
    { type: 'input_text', text: output },
    ...(image ? [imagePart(image.mediaType, image.data)] : []),
  ]
  return {
    type: 'function_call_output',
    call_id: call.id,
    output: image ? (parts as ResponseFunctionCallOutputItemList) : output,
  }
}

function outcome(response: Response): Outcome {
  const { output, usage } = response
  return {
    text: output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join(''),
    thinking: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
      .map((part) => part.text)
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
        : [],
    ),
    stop: readStop(response),
    counts: usage
      ? {
          input: usage.input_tokens,
          cached: usage.input_tokens_details.cached_tokens,
          output: usage.output_tokens,
          reasoning: usage.output_tokens_details.reasoning_tokens,
        }
      : {},
    model: response.model,
  }
}

function readStop({ status, incomplete_details, output }: Response): Stop {
  if (status === 'incomplete')
    return incomplete_details?.reason === 'max_output_tokens' ? 'length' : 'refusal'
  if (output.some((item) => item.type === 'function_call')) return 'tool-call'
  const refused = output.some(
    (item) => item.type === 'message' && item.content.some((part) => part.type === 'refusal'),
  )
  return refused ? 'refusal' : 'stop'
}
