import { DEFAULT_FAILOVER } from '../../src/config/defaults.ts'
import type { Config, FailoverConfig } from '../../src/config/type.ts'
import { time, type Words } from './word.ts'

const FAILOVER_WORDS: Words<FailoverConfig> = {
  hops: {
    means: 'How many more members are asked after the first.',
    usual: String(DEFAULT_FAILOVER.hops),
    example: 1,
  },
  budgetMs: {
    means: 'How long after the request came another member may still be asked.',
    usual: time(DEFAULT_FAILOVER.budgetMs),
    example: 20_000,
  },
  attemptMs: {
    means: 'How long one member may take to the head of its answer.',
    usual: 'as long as it takes: a slow one is not left',
    example: 10_000,
  },
  waitMs: {
    means: 'How long a request may wait until a member may be asked again.',
    usual: '0',
    example: 2000,
  },
  on: {
    means: 'The statuses after which the next member is asked.',
    usual: DEFAULT_FAILOVER.on.join(', '),
    example: [429, 503, 529],
  },
  unknown: {
    means:
      'Whether the next is also asked where the request may have been carried out and paid for.',
    usual: String(DEFAULT_FAILOVER.unknown),
    example: true,
  },
  sticky: {
    means:
      'Whether a session stays with the member that has it: off, prefer, or strict, which asks no other account.',
    usual: DEFAULT_FAILOVER.sticky,
    example: 'strict',
  },
  stickySeconds: {
    means: 'How long a silent session is remembered.',
    usual: String(DEFAULT_FAILOVER.stickySeconds),
    example: 7200,
  },
}

/** Routes, and what is done when a member of one fails. */
export const ROUTE_WORDS: Words<Pick<Config, 'routes' | 'failover'>> = {
  routes: {
    means: 'Which model goes where; the first match wins.',
    usual: 'everything to the one upstream that there is',
    within: {
      model: {
        means: 'The model name that the caller sent; * stands for anything.',
        example: 'gpt-*',
      },
      upstream: {
        means: 'The name of an upstream, or several in a list: the next is asked where one fails.',
        example: 'claude',
        within: {
          name: { means: 'The name of an upstream.', example: 'claude' },
          as: {
            means: 'The name of the model there; * stands for what the * of model does.',
            usual: 'that of the route',
            example: 'claude-opus-4-8',
          },
          weight: {
            means: 'Its share, where the route picks by weight.',
            usual: '1',
            example: 3,
          },
        },
      },
      pick: {
        means: 'How one of several is chosen: the first in the list, or by weight.',
        usual: 'order',
        example: 'weighted',
      },
      class: {
        means: 'The kinds of requests that the route takes; pools.md says how they are known.',
        usual: 'anything',
        example: ['auxiliary', 'compaction'],
      },
      minInputTokens: {
        means: 'How long a request has to be, by an estimate: a token for four bytes.',
        usual: '0',
        example: 150_000,
      },
      failover: { means: 'The same as failover, for this route alone.', within: FAILOVER_WORDS },
      cache: {
        means:
          'What an upstream of another dialect is told of caching prompts: nothing (off), what the caller says (carry), or also what it cannot say (derive): marks, and a salted hash of the session as key.',
        usual: 'derive',
        example: 'carry',
      },
      as: {
        means: 'The name of the model at the upstream; * stands for what the * of model does.',
        usual: 'the caller’s own name',
        example: 'claude-opus-4-8',
      },
      models: {
        means: 'Names that the pattern in model stands for; GET /v1/models lists them.',
        usual: 'a name without *',
        example: ['gpt-5'],
      },
    },
  },
  failover: {
    means: 'What is done when one of several upstreams or keys fails.',
    within: FAILOVER_WORDS,
  },
}
