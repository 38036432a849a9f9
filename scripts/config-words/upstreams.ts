import { MAX_OUTPUT_TOKENS, TIMEOUTS } from '../../src/config/defaults.ts'
import type { Config } from '../../src/config/type.ts'
import { COMPACTION_WORDS } from './operation.ts'
import { PROFILE_WORDS } from '../profile-words.ts'
import { time, type Words } from './word.ts'

export const KEY =
  'A literal key, env:NAME for an environment variable, or caller for the credential of whoever calls.'

/** What `dragoman models NAME` prints. */
const KNOWN = 'what is known of the model by its name'

/** Upstreams: their keys, models and timeouts. */
export const UPSTREAM_WORDS: Words<Pick<Config, 'upstreams'>> = {
  upstreams: {
    means: 'Where requests go, by name.',
    usual: 'the demo, where nothing is configured',
    within: {
      dialect: { means: 'The language that the upstream speaks.', example: 'messages' },
      url: {
        means:
          'An origin, with or without a base path and a trailing /v1 or /v1beta. To chat-completions and responses the version may be any other (/api/paas/v4, /v1beta/openai), and for a chat-completions service without one the whole endpoint is given (https://host/chat/completions).',
        example: 'https://upstream.example/v1',
      },
      key: {
        means: `${KEY} A list of keys is a pool: each is asked in the place of another.`,
        usual: 'no key is sent',
        example: 'env:CLAUDE_KEY',
        within: {
          key: {
            means: 'A literal key, or env:NAME for an environment variable.',
            example: 'env:CLAUDE_KEY',
          },
          weight: {
            means: 'Its share, where a route picks by weight.',
            usual: '1',
            example: 2,
          },
          account: {
            means: 'Whose key it is: those of one account read each other’s proofs of reasoning.',
            usual: 'the upstream’s, else one of its own',
            example: 'team',
          },
        },
      },
      account: {
        means: 'The account of those keys of the upstream that name none.',
        usual: 'one for each key',
        example: 'team',
      },
      auth: {
        means:
          'Where the key goes: into which header, or into the query. Or a key that is made here: a token of Google or of Entra, which is renewed ahead of its end, or the signature of Amazon; then there is no "key".',
        usual:
          'x-api-key to messages, x-goog-api-key to generate-content, bearer to responses and chat-completions',
        example: 'bearer',
        within: {
          google: {
            means:
              'A token of Google Cloud: "metadata" on its machines, or the JSON of a service account or of a user, by env:NAME or file:/PATH.',
            example: 'metadata',
          },
          aws: {
            means:
              'The signature of Amazon, version 4. "env" reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION.',
            example: 'env',
            within: {
              region: {
                means: 'The region of the service.',
                usual: 'that of the host, or AWS_REGION',
                example: 'us-east-1',
              },
              service: {
                means: 'The name of the service in the signature.',
                usual: 'that of the profile, else bedrock',
                example: 'bedrock-mantle',
              },
              accessKeyId: { means: 'The id of the key.', example: 'env:AWS_ACCESS_KEY_ID' },
              secretAccessKey: { means: 'The key.', example: 'env:AWS_SECRET_ACCESS_KEY' },
              sessionToken: {
                means: 'What belongs to a temporary key.',
                usual: 'none',
                example: 'env:AWS_SESSION_TOKEN',
              },
            },
          },
          entra: {
            means: 'A token of Microsoft Entra.',
            within: {
              tenant: { means: 'The id of the directory.', example: 'contoso.onmicrosoft.com' },
              clientId: { means: 'The id of the application.', example: 'env:AZURE_CLIENT_ID' },
              clientSecret: {
                means: 'The secret of the application.',
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
            means:
              'Where tokens of google or entra are fetched instead: an https address, or http on this machine.',
            usual: 'that of the service',
            example: 'https://login.microsoftonline.us/contoso/oauth2/v2.0/token',
          },
        },
      },
      headers: {
        means: 'Further headers; a value may be env:NAME.',
        usual: 'none',
        example: { 'x-team': 'blue' },
      },
      query: {
        means: 'Names and values that stand in the address of each call; a value may be env:NAME.',
        usual: 'none',
        example: { 'api-version': '2025-04-01-preview' },
      },
      maxOutputTokens: {
        means: 'Used when the caller gave no bound and the dialect demands one.',
        usual: String(MAX_OUTPUT_TOKENS),
        example: 32_000,
      },
      models: {
        means: 'Facts per model; a name may contain *, the first match wins.',
        usual: KNOWN,
        example: { 'gemini-3*': { thinking: 'level' } },
        within: {
          contextWindow: {
            means: 'How many tokens fit into the context; lists of models tell it.',
            example: 200_000,
          },
          maxOutputTokens: {
            means: 'The most tokens that a reply may be asked to have.',
            example: 64_000,
          },
          thinking: {
            means:
              'How thinking is asked for: by a number of tokens, by the model itself, or by a level.',
            usual: KNOWN,
            example: 'level',
          },
          is: {
            means:
              'The name of a known model that this one is: of a deployment, an ARN, an alias. Its facts and its price hold.',
            usual: 'what the name tells',
            example: 'claude-opus-5-5',
          },
          thinkingOff: {
            means:
              'Whether the model can be told not to think; between_tools: only between calls of tools.',
            usual: KNOWN,
            example: false,
          },
          efforts: {
            means: 'The efforts that the model takes; none where it refuses the parameter.',
            usual: KNOWN,
            example: ['low', 'medium', 'high'],
          },
          forcedChoice: {
            means: 'Whether the model can be made to call a tool.',
            usual: KNOWN,
            example: false,
          },
          sampling: {
            means: 'When the model takes a temperature and its like.',
            usual: KNOWN,
            example: 'never',
          },
          storesByDefault: {
            means: 'Whether the service keeps requests that do not say otherwise.',
            usual: KNOWN,
            example: true,
          },
          effortUpdates: {
            means: 'Whether a conversation may bring other efforts (responses).',
            usual: KNOWN,
            example: true,
          },
          prefill: {
            means: 'Whether a conversation may end with the model’s turn.',
            usual: KNOWN,
            example: false,
          },
          fetchesUrls: {
            means: 'Whether the service fetches media that are named by their https addresses.',
            usual: 'true',
            example: false,
          },
          mixesTools: {
            means: 'Whether a generate-content model takes built-in tools beside functions.',
            usual: KNOWN,
            example: true,
          },
          cacheBreakpoints: {
            means: 'Whether the model takes marks of what to cache (prompt_cache_breakpoint).',
            usual: KNOWN,
            example: true,
          },
          systemInPlace: {
            means: 'Whether a messages model takes instructions in the middle of a conversation.',
            usual: KNOWN,
            example: false,
          },
          lateTools: {
            means: 'Whether a conversation may bring tools that do not stand before it.',
            usual: KNOWN,
            example: false,
          },
          deferredTools: {
            means: 'Whether the model searches for tools that it does not see from the beginning.',
            usual: KNOWN,
            example: false,
          },
          computer: {
            means:
              'Whether the model has a tool of its own for acting on a screen; without it the tool is a function.',
            usual: KNOWN,
            example: false,
          },
          drop: {
            means: 'Parameters that the model refuses; they are left out.',
            usual: 'none',
            example: ['temperature'],
          },
          price: {
            means:
              'US dollars per million tokens, for the log, the metrics and limits; one number is for all kinds of tokens.',
            usual: 'the list price of a model that is known by its name',
            example: 0,
            within: {
              input: { means: 'Tokens that are sent.', example: 5 },
              output: {
                means: 'Tokens that are received, reasoning too.',
                example: 25,
              },
              cacheRead: {
                means: 'Tokens that are read from a cache.',
                usual: 'as input',
                example: 0.5,
              },
              cacheWrite: {
                means: 'Tokens that are written to a cache.',
                usual: 'as input',
                example: 6.25,
              },
            },
          },
        },
      },
      trace: {
        means: 'Whether the upstream is sent traceparent, so that its own spans join the trace.',
        usual: 'false',
        example: true,
      },
      compaction: { ...COMPACTION_WORDS, usual: 'that of all upstreams' },
      proxy: {
        means: 'The egress proxy that calls go through, with its credential, or env:NAME.',
        usual:
          'what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say, which are not asked for this machine',
        example: 'http://proxy.internal:3128',
      },
      timeouts: {
        means: 'How long this upstream may take.',
        within: {
          connectMs: {
            means: 'How long it may take to connect.',
            usual: time(TIMEOUTS.connectMs),
            example: 5000,
          },
          firstByteMs: {
            means: 'How long the first byte of an answer may take.',
            usual: `${time(TIMEOUTS.firstByteMs)} for a stream, ${time(TIMEOUTS.jsonMs)} for JSON`,
            example: 60_000,
          },
          idleMs: {
            means: 'How long an answer may fall silent.',
            usual: time(TIMEOUTS.idleMs),
            example: 300_000,
          },
          totalMs: {
            means: 'How long a whole exchange may take.',
            usual: time(TIMEOUTS.totalMs),
            example: 1_800_000,
          },
        },
      },
      passthrough: {
        means:
          'Paths besides conversations: a POST to one goes by the model in its JSON to the upstream of its route, and passes as bytes both ways. Not translated; only the name of the model is replaced, where the route has "as".',
        usual: 'none',
        example: ['/v1/embeddings', '/v1/rerank'],
      },
      profile: {
        means: 'What the server takes otherwise: a name of the table of profiles, or facts.',
        usual: 'that of the server at the address, where it is known; `none` asks for none',
        example: 'vllm',
        within: PROFILE_WORDS,
      },
    },
  },
}
