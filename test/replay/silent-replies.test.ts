import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { adapters } from '../../adapters/index.ts'
import type { JsonObject } from '../../src/json/json.ts'
import { emptyRequest } from '../../src/model/empty-request.ts'
import { translator } from '../../src/translator.ts'
import type { Adapter } from '../../adapters/contract.ts'
import { probeReply } from './silent-replies.ts'

/** Replies with whatever a service may say besides. */
const REPLIES: Record<string, JsonObject> = {
  messages: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'web_search',
        input: { query: 'sky' },
        caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_0' },
      },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [
          {
            type: 'web_search_result',
            url: 'https://a.example',
            title: 'A',
            encrypted_content: 'enc',
            page_age: '2 days',
          },
        ],
      },
      {
        type: 'text',
        text: 'Blue.',
        citations: [
          {
            type: 'web_search_result_location',
            cited_text: 'it is blue',
            url: 'https://a.example',
            title: 'A',
            encrypted_index: 'idx',
          },
        ],
      },
      { type: 'container_upload', file_id: 'file_1' },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: { type: 'refusal', category: 'cyber', explanation: 'no' },
    container: { id: 'container_1', expires_at: '2026-08-15T06:28:14Z' },
    context_management: { applied_edits: [{ type: 'clear_tool_uses_20250919' }] },
    usage: {
      input_tokens: 10,
      output_tokens: 20,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 },
      output_tokens_details: { thinking_tokens: 3 },
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
      service_tier: 'priority',
      inference_geo: 'us',
    },
  },
  'generate-content': {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true, thoughtSignature: 'c2ln' },
            { text: 'Blue.', partMetadata: { source: 'cache' } },
            { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 's-1' }, thoughtSignature: 'c2ln' },
            { inlineData: { mimeType: 'image/png', data: 'aGFsbG8=', displayName: 'a.png' } },
          ],
        },
        finishReason: 'PROHIBITED_CONTENT',
        finishMessage: 'Not that.',
        index: 0,
        avgLogprobs: -0.25,
        safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
        citationMetadata: { citationSources: [{ uri: 'https://b.example', license: 'mit' }] },
        logprobsResult: { chosenCandidates: [{ token: 'Blue', tokenId: 1, logProbability: -0.5 }] },
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
          searchEntryPoint: { renderedContent: '<b>sky</b>' },
        },
        urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://a.example' }] },
      },
      { content: { role: 'model', parts: [{ text: 'Grey.' }] }, index: 1 },
    ],
    promptFeedback: { safetyRatings: [{ category: 'HARM_CATEGORY_SPAM', probability: 'LOW' }] },
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      totalTokenCount: 15,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 4 },
        { modality: 'IMAGE', tokenCount: 6 },
      ],
      serviceTier: 'priority',
    },
    modelVersion: 'm',
    modelStatus: { modelStage: 'DEPRECATED' },
    responseId: 'r-1',
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    service_tier: 'flex',
    moderation: { flagged: true },
    conversation: { id: 'conv_1' },
    tool_usage: { web_search: { num_requests: 1 } },
    output: [
      {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        content: [{ type: 'reasoning_text', text: 'Hm, hm.' }],
        encrypted_content: 'enc',
      },
      {
        id: 'ws_1',
        type: 'web_search_call',
        status: 'completed',
        action: {
          type: 'search',
          query: 'sky',
          sources: [
            { type: 'url', url: 'https://a.example' },
            { type: 'api', name: 'weather' },
          ],
        },
      },
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        phase: 'commentary',
        author: 'agent-1',
        content: [
          {
            type: 'output_text',
            text: 'Blue.',
            annotations: [
              {
                type: 'container_file_citation',
                container_id: 'cntr_1',
                file_id: 'cfile_1',
                filename: 'a.png',
                start_index: 0,
                end_index: 4,
              },
            ],
            logprobs: [{ token: 'Blue', logprob: -0.5, bytes: [66], top_logprobs: [] }],
          },
          { type: 'output_audio', data: 'aGFsbG8=', transcript: 'Blue.' },
        ],
      },
      {
        id: 'ig_1',
        type: 'image_generation_call',
        status: 'completed',
        result: 'aGFsbG8=',
        revised_prompt: 'a blue sky',
        size: '1024x1024',
      },
      {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: 'f',
        arguments: '{"a":1}',
        caller: { type: 'program', caller_id: 'call_0' },
      },
      { id: 'mcp_1', type: 'mcp_call', name: 'g', server_label: 's', arguments: '{}', output: 'x' },
    ],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 3, audio_tokens: 2 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 30,
      cost: 0.25,
    },
  },
}

const pairs = adapters.flatMap((upstream) =>
  adapters.flatMap((caller) => (caller === upstream ? [] : [{ caller, upstream }])),
)

const nameOf = (adapter: Adapter) => DIALECTS.find((name) => name === adapter.dialect) ?? 'messages'

const replyOf = ({ dialect }: Adapter): JsonObject => REPLIES[dialect] ?? {}

describe.each(pairs)('$caller.dialect from $upstream.dialect', ({ caller, upstream }) => {
  it('is told of whatever a reply says, or that it is not', () => {
    const found = probeReply(caller, upstream, emptyRequest('', true), replyOf(upstream), 10_000)
    expect(found?.silent).toEqual([])
    expect(found?.reported).toBeGreaterThan(10)
  })

  it('is told the same by the library', () => {
    const { losses } = translator({ from: nameOf(caller), to: nameOf(upstream) }).reply(
      replyOf(upstream),
    )
    const member = {
      messages: 'container',
      'generate-content': 'promptFeedback',
      responses: 'moderation',
    }
    const [, name] = Object.entries(member).find(([dialect]) => dialect === upstream.dialect) ?? []
    expect(losses).toContainEqual({ code: 'dropped', path: `reply.${name}` })
  })
})
