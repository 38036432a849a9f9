import { BEFORE } from '../../src/config/defaults.ts'
import type { CallerLimitsConfig, Config, TaskConfig } from '../../src/config/type.ts'
import { KEY } from './upstreams.ts'
import type { Words } from './word.ts'

const LIMIT_WORDS: Words<CallerLimitsConfig> = {
  requestsPerMinute: {
    means: 'Requests per minute, all of which may come at once.',
    usual: 'unlimited',
    example: 60,
  },
  tokensPerMinute: {
    means: 'Tokens per minute, in and out; whoever overdraws has to wait.',
    usual: 'unlimited',
    example: 200_000,
  },
  concurrent: {
    means: 'Requests at the same time.',
    usual: 'unlimited',
    example: 8,
  },
  usdPerDay: {
    means:
      'US dollars per day (UTC), by known prices. Running requests count with the most that they may cost.',
    usual: 'unlimited',
    example: 5,
  },
}

const TASK_WORDS: Words<TaskConfig> = {
  url: {
    means: 'An image task service; its requests pass unchanged below /img (music: /music).',
    example: 'https://tasks.example',
  },
  key: { means: KEY, usual: 'no key is sent', example: 'env:TASK_KEY' },
  prefix: {
    means: 'Where its paths begin upstream.',
    usual: '/img or /music',
    example: '/api/img',
  },
}

/** Callers with their keys and limits, and the task services. */
export const CALLER_WORDS: Words<Pick<Config, 'before' | 'callers' | 'tasks'>> = {
  callers: {
    means: 'Who may call.',
    usual: 'open on a loopback address; required elsewhere',
    example: 'open',
    within: {
      keys: {
        means: 'Keys of at least 16 characters, alone or as objects.',
        example: ['env:PROXY_KEY'],
        within: {
          name: {
            means: 'The caller’s name in log, metrics and /usage.',
            usual: 'key-1, key-2 and so on',
            example: 'ci',
          },
          key: {
            means: 'The key, env:NAME, file:/PATH, or sha256: and its hash.',
            example: 'env:CI_KEY',
          },
          models: {
            means: 'Models it may use, by the names callers send; may contain *.',
            usual: 'any',
            example: ['claude-*'],
          },
          limits: {
            means: 'Limits of this caller.',
            usual: 'callers.limits',
            within: LIMIT_WORDS,
          },
          expires: {
            means: 'The day (UTC) from which the key is refused.',
            usual: 'never',
            example: '2027-01-01',
          },
        },
      },
      jwt: {
        means:
          'Signed tokens (JWT) in place of keys: RS, PS and ES with 256, 384 or 512, and EdDSA.',
        usual: 'none',
        within: {
          jwks: {
            means: 'The issuer’s key set, fetched every ten minutes.',
            example: 'https://login.example/jwks.json',
          },
          audience: {
            means: 'Required aud.',
            example: 'dragoman',
          },
          issuer: { means: 'Required iss.', example: 'https://login.example/' },
          name: {
            means: 'The claim with the caller’s name, for log, limits and memory.',
            usual: 'sub',
            example: 'email',
          },
        },
      },
      limits: {
        means: 'Limits of each caller without its own.',
        usual: 'unlimited',
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
    means: 'Image and music task services.',
    usual: 'none',
    within: {
      image: { means: 'The service behind /img.', within: TASK_WORDS },
      music: { means: 'The service behind /music.', within: TASK_WORDS },
    },
  },
}
