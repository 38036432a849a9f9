import { BEFORE } from '../../src/config/defaults.ts'
import type { CallerLimitsConfig, Config, TaskConfig } from '../../src/config/type.ts'
import { KEY } from './upstreams.ts'
import type { Words } from './word.ts'

const LIMIT_WORDS: Words<CallerLimitsConfig> = {
  requestsPerMinute: {
    means: 'Requests per minute; so many may come at once.',
    usual: 'any number',
    example: 60,
  },
  tokensPerMinute: {
    means: 'Tokens per minute, in and out. Whoever has used more than came in has to wait.',
    usual: 'any number',
    example: 200_000,
  },
  concurrent: {
    means: 'Requests underway at a time.',
    usual: 'any number',
    example: 8,
  },
  usdPerDay: {
    means:
      'US dollars per day (UTC), by the prices that are known. Requests underway count with the most that they may cost.',
    usual: 'any amount',
    example: 5,
  },
}

const TASK_WORDS: Words<TaskConfig> = {
  url: { means: 'Where the task service is.', example: 'https://tasks.example' },
  key: { means: KEY, usual: 'no key is sent', example: 'env:TASK_KEY' },
  prefix: {
    means: 'Where the service lives at its upstream.',
    usual: '/img or /music',
    example: '/api/img',
  },
}

/** Callers with their keys and limits, and the task services. */
export const CALLER_WORDS: Words<Pick<Config, 'before' | 'callers' | 'tasks'>> = {
  callers: {
    means: 'Who may call: the keys of the callers, or open to everyone.',
    usual: 'open on a loopback address; needed on any other, and on Workers',
    example: 'open',
    within: {
      keys: {
        means: 'Keys of 16 characters or more, alone or with a name and what it may do.',
        example: ['env:PROXY_KEY'],
        within: {
          name: {
            means: 'What the log, the metrics and /usage call the caller.',
            usual: 'key-1, key-2 and so on, after its place, for a key alone',
            example: 'ci',
          },
          key: {
            means:
              'What the caller presents: literally, as env:NAME or file:/PATH, or sha256: and its hash.',
            example: 'env:CI_KEY',
          },
          models: {
            means:
              'The models that this caller may use, by the names that callers send; a name may contain *.',
            usual: 'any',
            example: ['claude-*'],
          },
          limits: {
            means: 'What this caller may use.',
            usual: 'callers.limits',
            within: LIMIT_WORDS,
          },
          expires: {
            means: 'The day (UTC) from which on the key is refused.',
            usual: 'never',
            example: '2027-01-01',
          },
        },
      },
      jwt: {
        means:
          'Tokens (JWT) that callers present in the place of a key: RS, PS and ES with 256, 384 or 512, and EdDSA.',
        usual: 'keys alone',
        within: {
          jwks: {
            means: 'The address of the keys of whoever issues them; asked every ten minutes.',
            example: 'https://login.example/jwks.json',
          },
          audience: {
            means: 'What aud has to be, or to hold one of.',
            example: 'dragoman',
          },
          issuer: { means: 'What iss has to be.', example: 'https://login.example/' },
          name: {
            means: 'The claim that is the name of the caller, for the log, limits and memory.',
            usual: 'sub',
            example: 'email',
          },
        },
      },
      limits: {
        means: 'What each caller without limits of its own may use.',
        usual: 'as much as there is',
        within: LIMIT_WORDS,
      },
    },
  },
  before: {
    means:
      'A webhook that is asked before a request is served: it may refuse it, or label it in the log.',
    usual: 'none',
    within: {
      url: {
        means: 'The address that is asked, over https, or http on this machine.',
        example: 'https://rules.example/before',
      },
      timeoutMs: {
        means: 'How long its answer may take.',
        usual: String(BEFORE.timeoutMs),
        example: 300,
      },
      onError: {
        means:
          'What becomes of a request where there is no answer in time, or another one than expected.',
        usual: BEFORE.onError,
        example: 'allow',
      },
    },
  },
  tasks: {
    means: 'The upstreams of the task services.',
    usual: 'none',
    within: {
      image: { means: 'The service behind /img.', within: TASK_WORDS },
      music: { means: 'The service behind /music.', within: TASK_WORDS },
    },
  },
}
