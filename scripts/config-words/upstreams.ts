import { MAX_OUTPUT_TOKENS, TIMEOUTS } from '../../src/config/defaults.ts'
import type { Config } from '../../src/config/type.ts'
import { COMPACTION_WORDS } from './operation.ts'
import { PROFILE_WORDS } from '../profile-words.ts'
import { time, type Words } from './word.ts'

export const KEY = 'A key, env:NAME, or caller to pass on the caller’s own.'

/** What `dragoman models NAME` prints. */
const KNOWN = 'known'

/** Upstreams: their keys, models and timeouts. */
export const UPSTREAM_WORDS: Words<Pick<Config, 'upstreams'>> = {
  upstreams: {
    means: 'Where requests go: services by a name of your choice.',
    usual: 'the demo',
    within: {
      dialect: { means: 'The API format that the upstream speaks.', example: 'messages' },
      url: {
        means:
          'A base URL, with or without /v1 or /v1beta at its end. For chat-completions and responses any other version works (/api/paas/v4, /v1beta/openai); for a chat-completions service without one give the whole endpoint.',
        example: 'https://upstream.example/v1',
      },
      key: {
        means: `${KEY} A list is a pool: when one key fails, the next is used.`,
        usual: 'no key is sent',
        example: 'env:CLAUDE_KEY',
        within: {
          key: {
            means: 'A key, or env:NAME.',
            example: 'env:CLAUDE_KEY',
          },
          weight: {
            means: 'Its share when a route picks by weight.',
            usual: '1',
            example: 2,
          },
          account: {
            means:
              'Whose key it is: keys of one account can read each other’s signatures of reasoning.',
            usual: 'the upstream’s, else its own',
            example: 'team',
          },
        },
      },
      account: {
        means: 'The account of keys that name none.',
        usual: 'one for each key',
        example: 'team',
      },
      auth: {
        means:
          'Which header, or the query, carries the key. An object is a key that is made here; then leave out "key".',
        usual: 'x-api-key for messages, x-goog-api-key for generate-content, bearer for the others',
        example: 'bearer',
        within: {
          google: {
            means:
              'A Google Cloud token: "metadata" on its machines, or the JSON of a service account or user, by env:NAME or file:/PATH.',
            example: 'metadata',
          },
          aws: {
            means:
              'Amazon signature version 4. "env" reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION.',
            example: 'env',
            within: {
              region: {
                means: 'The region.',
                usual: 'the host’s, or AWS_REGION',
                example: 'us-east-1',
              },
              service: {
                means: 'The service name in the signature.',
                usual: 'the profile’s, else bedrock',
                example: 'bedrock-mantle',
              },
              accessKeyId: { means: 'The key’s id.', example: 'env:AWS_ACCESS_KEY_ID' },
              secretAccessKey: { means: 'The key.', example: 'env:AWS_SECRET_ACCESS_KEY' },
              sessionToken: {
                means: 'For a temporary key.',
                usual: 'none',
                example: 'env:AWS_SESSION_TOKEN',
              },
            },
          },
          entra: {
            means: 'A Microsoft Entra token.',
            within: {
              tenant: { means: 'The directory’s id.', example: 'contoso.onmicrosoft.com' },
              clientId: { means: 'The application’s id.', example: 'env:AZURE_CLIENT_ID' },
              clientSecret: {
                means: 'The application’s secret.',
                example: 'env:AZURE_CLIENT_SECRET',
              },
              scope: {
                means: 'What the token is for.',
                usual: 'https://cognitiveservices.azure.com/.default',
                example: 'https://ai.azure.com/.default',
              },
            },
          },
          tokenUrl: {
            means: 'Another place to fetch Google or Entra tokens: https, or http on this machine.',
            usual: 'the service’s own',
            example: 'https://login.microsoftonline.us/contoso/oauth2/v2.0/token',
          },
        },
      },
      headers: {
        means: 'Extra headers; a value may be env:NAME.',
        usual: 'none',
        example: { 'x-team': 'blue' },
      },
      query: {
        means: 'Query parameters of every call; a value may be env:NAME.',
        usual: 'none',
        example: { 'api-version': '2025-04-01-preview' },
      },
      maxOutputTokens: {
        means: 'Sent when the caller sets no limit and the dialect requires one.',
        usual: String(MAX_OUTPUT_TOKENS),
        example: 32_000,
      },
      models: {
        means: 'Facts per model.',
        usual: KNOWN,
        example: { 'gemini-3*': { thinking: 'level' } },
        within: {
          contextWindow: {
            means: 'The context window in tokens; model lists report it.',
            example: 200_000,
          },
          maxOutputTokens: {
            means: 'The model’s limit on output tokens.',
            example: 64_000,
          },
          thinking: {
            means: 'How thinking is requested: a number of tokens, left to the model, or a level.',
            usual: KNOWN,
            example: 'level',
          },
          is: {
            means: 'The known model behind a deployment, ARN or alias; its facts and price apply.',
            usual: 'by its name',
            example: 'claude-opus-5-5',
          },
          thinkingOff: {
            means: 'Whether thinking can be turned off; between_tools: only between tool calls.',
            usual: KNOWN,
            example: false,
          },
          efforts: {
            means: 'The efforts it accepts; empty if it refuses the parameter.',
            usual: KNOWN,
            example: ['low', 'medium', 'high'],
          },
          forcedChoice: {
            means: 'Whether it can be forced to call a tool.',
            usual: KNOWN,
            example: false,
          },
          sampling: {
            means: 'When it accepts temperature and similar.',
            usual: KNOWN,
            example: 'never',
          },
          storesByDefault: {
            means: 'Whether the service stores requests unless told not to.',
            usual: KNOWN,
            example: true,
          },
          effortUpdates: {
            means: 'Whether the effort may change within a conversation (responses).',
            usual: KNOWN,
            example: true,
          },
          prefill: {
            means: 'Whether a conversation may end with an assistant turn.',
            usual: KNOWN,
            example: false,
          },
          fetchesUrls: {
            means: 'Whether the service fetches media by https URL.',
            usual: 'true',
            example: false,
          },
          mixesTools: {
            means: 'Whether it accepts built-in tools together with functions (generate-content).',
            usual: KNOWN,
            example: true,
          },
          cacheBreakpoints: {
            means: 'Whether it accepts prompt_cache_breakpoint.',
            usual: KNOWN,
            example: true,
          },
          systemInPlace: {
            means: 'Whether it accepts system messages in mid-conversation (messages).',
            usual: KNOWN,
            example: false,
          },
          lateTools: {
            means: 'Whether tools may be added in mid-conversation.',
            usual: KNOWN,
            example: false,
          },
          deferredTools: {
            means: 'Whether it can search for deferred tools.',
            usual: KNOWN,
            example: false,
          },
          computer: {
            means: 'Whether it has a computer-use tool of its own; otherwise a function is sent.',
            usual: KNOWN,
            example: false,
          },
          drop: {
            means: 'Parameters it refuses; they are left out.',
            usual: 'none',
            example: ['temperature'],
          },
          price: {
            means:
              'US dollars per million tokens, for log, metrics and limits; one number covers all kinds of tokens.',
            usual: 'the list price, if known',
            example: 0,
            within: {
              input: { means: 'Input.', example: 5 },
              output: {
                means: 'Output, reasoning included.',
                example: 25,
              },
              cacheRead: {
                means: 'Cache reads.',
                usual: 'as input',
                example: 0.5,
              },
              cacheWrite: {
                means: 'Cache writes.',
                usual: 'as input',
                example: 6.25,
              },
            },
          },
        },
      },
      trace: {
        means: 'Whether to send traceparent, so that the upstream’s spans join the trace.',
        usual: 'false',
        example: true,
      },
      compaction: { ...COMPACTION_WORDS, usual: 'the same as for all upstreams' },
      proxy: {
        means: 'Egress proxy, with its credential, or env:NAME.',
        usual: 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which do not apply to this machine',
        example: 'http://proxy.internal:3128',
      },
      timeouts: {
        means: 'Timeouts.',
        within: {
          connectMs: {
            means: 'How long connecting may take.',
            usual: time(TIMEOUTS.connectMs),
            example: 5000,
          },
          firstByteMs: {
            means: 'How long the first byte of the answer may take.',
            usual: `${time(TIMEOUTS.firstByteMs)} for a stream, ${time(TIMEOUTS.jsonMs)} for JSON`,
            example: 60_000,
          },
          idleMs: {
            means: 'How long silence within an answer may last.',
            usual: time(TIMEOUTS.idleMs),
            example: 300_000,
          },
          totalMs: {
            means: 'How long the whole exchange may take.',
            usual: time(TIMEOUTS.totalMs),
            example: 1_800_000,
          },
        },
      },
      passthrough: {
        means:
          'Other paths to pass through untranslated: a POST goes to the upstream of the model in its JSON. Only the model name is replaced, if the route has "as".',
        usual: 'none',
        example: ['/v1/embeddings', '/v1/rerank'],
      },
      profile: {
        means: 'How the server differs from its dialect: the name of a profile, or facts.',
        usual: 'the known server’s at that address; `none` for none',
        example: 'vllm',
        within: PROFILE_WORDS,
      },
    },
  },
}
