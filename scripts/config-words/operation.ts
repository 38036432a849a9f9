import {
  DEFAULT_RETENTION,
  ISOLATE_LIMITS,
  MAX_OUTPUT_TOKENS,
  PROCESS_LIMITS,
  RECALL_BYTES,
  RECORD,
  WORKER_STORE_BOUNDS,
} from '../../src/config/defaults.ts'
import type { StoreBounds } from '../../src/config/settings.ts'
import type { Config, LimitsConfig } from '../../src/config/type.ts'
import { SECOND_MS, both, count, size, time, type Unit, type Words } from './word.ts'

const limit = (name: keyof LimitsConfig, means: string, unit: Unit, example: number) => ({
  means,
  usual: both(unit, PROCESS_LIMITS[name], ISOLATE_LIMITS[name]),
  example,
})

const bound = (name: keyof StoreBounds, means: string, example: number) => ({
  means,
  usual: both(size, DEFAULT_RETENTION[name], WORKER_STORE_BOUNDS[name]),
  example,
})

/** Said for all upstreams, and for one of them. */
export const COMPACTION_WORDS = {
  means:
    'Whether summaries of conversations are written (serve) where the service of the upstream does not know the form in which one is asked for, or refused (refuse).',
  usual: 'serve',
  example: 'refuse',
  within: {
    threshold: {
      means:
        'A summary that is wished for above a number of tokens is written before the turn, which makes two requests to the upstream of one. Otherwise the wish is a loss.',
      usual: 'false',
      example: true,
    },
    maxOutputTokens: {
      means: 'The most tokens that a summary may have, within the bound of the model.',
      usual: String(MAX_OUTPUT_TOKENS),
      example: 4096,
    },
  },
} satisfies Words<Pick<Config, 'compaction'>>['compaction']

/** What is kept, told, traced and shown, and the limits of the process. */
export const OPERATION_WORDS: Words<
  Omit<Config, '$schema' | 'upstreams' | 'routes' | 'failover' | 'callers' | 'tasks'>
> = {
  state: {
    means: 'Where conversations are kept that a request may refer to.',
    within: {
      store: {
        means: 'memory, sqlite:FILE or redis://HOST; on Workers durable or kv; off keeps nothing.',
        usual: 'memory; on Workers durable',
        example: 'sqlite:state.db',
      },
      ttlSeconds: {
        means: 'How long a conversation is kept.',
        usual: `${DEFAULT_RETENTION.ttlMs / SECOND_MS} (30 days)`,
        example: 86_400,
      },
      entryBytes: bound('entryBytes', 'The most that is kept of one exchange.', 1_048_576),
      ownerBytes: bound(
        'ownerBytes',
        'The most that is kept for one caller; its oldest entries go first.',
        16_777_216,
      ),
      totalBytes: bound(
        'totalBytes',
        'The most that is kept for all callers; the oldest entries go first.',
        536_870_912,
      ),
      proofs: {
        means: 'Also keep proofs of reasoning for clients that do not send them back.',
        usual: String(DEFAULT_RETENTION.proofs),
        example: true,
      },
      recallBytes: {
        means:
          'The most that a process remembers of the last requests of sessions, to read only what is new in the next ones; 0 is nothing. It changes nothing but the work.',
        usual: `${size(RECALL_BYTES)}; nothing where the store is off, on Workers and in a library`,
        example: 268_435_456,
      },
    },
  },
  losses: {
    means: 'Whether a request that would lose something is sent or refused.',
    usual: 'report',
    example: 'reject',
    within: {
      mode: {
        means: 'Whether a request that would lose something is sent (report) or refused (reject).',
        usual: 'report',
        example: 'reject',
      },
      trailer: {
        means:
          'Streams of events say in a comment, before their end, what was lost, also what only the reply has lost.',
        usual: 'false',
        example: true,
      },
    },
  },
  compaction: COMPACTION_WORDS,
  telemetry: {
    means: 'Traces for OpenTelemetry, on Node; the variables OTEL_* say what is left out here.',
    usual: 'nothing is traced',
    within: {
      otlp: {
        means: 'The collector of traces.',
        usual: 'that of the variables',
        within: {
          endpoint: {
            means: 'The address of the collector for OTLP over HTTP, without /v1/traces.',
            example: 'http://127.0.0.1:4318',
          },
          headers: {
            means: 'Headers that the collector wants; secrets as env:NAME or file:/PATH.',
            usual: 'none',
            example: { 'x-team': 'blue' },
          },
        },
      },
      sample: {
        means: 'The part of all exchanges that is traced.',
        usual: 'OTEL_TRACES_SAMPLER_ARG, or 1',
        example: 0.1,
      },
      semconv: {
        means:
          'Which names attributes have: those of the last release of the conventions (1.41), or those to come (main).',
        usual: '1.41',
        example: '1.41',
      },
      trust: {
        means: 'Whether the flag of a caller’s traceparent decides what is traced.',
        usual: 'false',
        example: true,
      },
    },
  },
  metrics: {
    means:
      'Whether /metrics and /usage answer: off; on, to whoever may call; or with a key of their own. Not on Workers.',
    usual: 'on where only this machine can ask and callers need no key, else off',
    example: 'off',
    within: {
      key: {
        means:
          'The key that /metrics and /usage ask for; env:NAME and file:/PATH work as elsewhere.',
        example: 'env:METRICS_KEY',
      },
    },
  },
  log: {
    means: 'What the log says of each exchange beside what it always does.',
    within: {
      client: {
        means:
          'Also where a request came from (address: the other end of the connection, which behind another proxy is that one) and the program that says to have sent it (userAgent).',
        usual: 'false',
        example: true,
      },
    },
  },
  record: {
    means: 'Where every exchange is written down, one line each; dragoman verify reads it.',
    usual: 'nowhere; a Worker has no file',
    within: {
      file: {
        means: 'A file of JSON lines that is appended to, and that only this user may read.',
        example: 'exchanges.jsonl',
      },
      maxBytes: {
        means: 'How large the file may grow; what comes then is dropped and counted.',
        usual: size(RECORD.maxBytes),
        example: 104_857_600,
      },
      bodies: {
        means: 'Whether bodies are written too; without them nothing can be verified.',
        usual: String(RECORD.bodies),
        example: false,
      },
    },
  },
  web: {
    means: 'Which web pages may call, and under which further names the proxy is called.',
    usual: 'no page, no further name',
    within: {
      origins: {
        means:
          'The web pages that may call, as a browser spells their origin: scheme, host and port, no *.',
        usual: 'none',
        example: ['https://chat.example'],
      },
      hosts: {
        means:
          'Names under which a proxy on a loopback address is called, besides localhost and its address.',
        usual: 'none',
        example: ['host.docker.internal'],
      },
    },
  },
  sockets: {
    means:
      'Whether callers of responses may stay connected by a WebSocket at /v1/responses. Off, they are told to go on over HTTP (426).',
    usual: 'on',
    example: 'off',
  },
  inspect: {
    means:
      'Whether a page for this machine alone shows both sides of every exchange; see inspect.md. Not on Workers.',
    usual: 'true in the demo, else false',
    example: true,
  },
  limits: {
    means: 'Bounds on what one caller, and all callers together, may use.',
    within: {
      bodyBytes: limit('bodyBytes', 'The largest body of a request, unpacked.', size, 8_388_608),
      inFlightBytes: limit(
        'inFlightBytes',
        'What all exchanges together may hold.',
        size,
        536_870_912,
      ),
      depth: limit('depth', 'How deep the JSON of a body may be nested.', count, 100),
      nodes: limit('nodes', 'How many JSON values a body may hold.', count, 500_000),
      eventBytes: limit(
        'eventBytes',
        'The largest event of an upstream’s stream. Each of its lines counts 16 more.',
        size,
        4_194_304,
      ),
      replyBytes: limit('replyBytes', 'The largest JSON reply of an upstream.', size, 33_554_432),
      streamBytes: limit('streamBytes', 'The longest stream of an upstream.', size, 134_217_728),
      streams: limit('streams', 'How many exchanges may be open at once.', count, 500),
      connections: limit(
        'connections',
        'How many connections of callers may be open at once.',
        count,
        1000,
      ),
      headersMs: limit(
        'headersMs',
        'How long a caller may take for the head of a request.',
        time,
        10_000,
      ),
      bodyMs: limit(
        'bodyMs',
        'How long a caller may take for the body of a request.',
        time,
        60_000,
      ),
      heartbeatMs: limit(
        'heartbeatMs',
        'Silence of a stream after which a ping is sent.',
        time,
        10_000,
      ),
      gatherMs: limit(
        'gatherMs',
        'How long the deltas of a translated stream wait at most for others, to be written together; `0` writes each as it comes. The first one and what is no delta wait for nothing.',
        time,
        40,
      ),
      drainMs: limit(
        'drainMs',
        'How long open exchanges may go on after the signal to stop.',
        time,
        60_000,
      ),
      lingerMs: limit(
        'lingerMs',
        'How long the port stays open after the signal to stop, before drainMs begins.',
        time,
        5000,
      ),
      sockets: limit('sockets', 'How many WebSockets may be open at once.', count, 5000),
      socketMs: limit(
        'socketMs',
        'How long a WebSocket may stay open; a reply that is underway still ends.',
        time,
        1_800_000,
      ),
      socketBytes: limit(
        'socketBytes',
        'What is remembered of the conversations of a WebSocket; all of them together remember four times as much at most.',
        size,
        16_777_216,
      ),
    },
  },
}
