import { DEFAULT_FAILOVER } from '../../src/config/defaults.ts'
import type { Config, FailoverConfig } from '../../src/config/type.ts'
import { time, type Words } from './word.ts'

const FAILOVER_WORDS: Words<FailoverConfig> = {
  hops: {
    means: 'How many more members to try after the first.',
    usual: String(DEFAULT_FAILOVER.hops),
    example: 1,
  },
  budgetMs: {
    means: 'How long after its arrival a request may move to another member.',
    usual: time(DEFAULT_FAILOVER.budgetMs),
    example: 20_000,
  },
  attemptMs: {
    means: 'How long one member may take to begin its answer.',
    usual: 'no limit',
    example: 10_000,
  },
  waitMs: {
    means: 'How long a request may wait for a member to become available again.',
    usual: '0',
    example: 2000,
  },
  on: {
    means: 'Statuses that lead to the next member.',
    usual: DEFAULT_FAILOVER.on.join(', '),
    example: [429, 503, 529],
  },
  unknown: {
    means: 'Also try the next one when the request may already have been carried out and billed.',
    usual: String(DEFAULT_FAILOVER.unknown),
    example: true,
  },
  sticky: {
    means: 'Whether a session stays with its member; strict never tries another account.',
    usual: DEFAULT_FAILOVER.sticky,
    example: 'strict',
  },
  stickySeconds: {
    means: 'How long an idle session is remembered.',
    usual: String(DEFAULT_FAILOVER.stickySeconds),
    example: 7200,
  },
}

/** Routes, and what is done when a member of one fails. */
export const ROUTE_WORDS: Words<Pick<Config, 'routes' | 'failover'>> = {
  routes: {
    means: 'Which model goes where.',
    usual: 'everything to the only upstream',
    within: {
      model: {
        means: 'The model name that the caller sends; * matches anything.',
        example: 'gpt-*',
      },
      upstream: {
        means: 'The name of an upstream, or a list: when one fails, the next is tried.',
        example: 'claude',
        within: {
          name: { means: 'An upstream.', example: 'claude' },
          as: {
            means: 'The model’s name there.',
            usual: 'the route’s',
            example: 'claude-opus-4-8',
          },
          weight: {
            means: 'Its share when the route picks by weight.',
            usual: '1',
            example: 3,
          },
        },
      },
      pick: {
        means: 'How one of several is chosen: first in the list, or by weight.',
        usual: 'order',
        example: 'weighted',
      },
      class: {
        means: 'The kinds of requests that the route takes.',
        usual: 'all',
        example: ['auxiliary', 'compaction'],
      },
      minInputTokens: {
        means: 'The least length of a request, estimated at four bytes a token.',
        usual: '0',
        example: 150_000,
      },
      failover: { means: 'Failover for this route alone.', within: FAILOVER_WORDS },
      cache: {
        means:
          'Prompt caching at upstreams of another dialect: off sends nothing, carry what the caller says, derive also marks of its own and a salted hash of the session as cache key.',
        usual: 'derive',
        example: 'carry',
      },
      as: {
        means: 'The model’s name at the upstream; * stands for what the * in model matched.',
        usual: 'as sent',
        example: 'claude-opus-4-8',
      },
      models: {
        means: 'Names behind the pattern, for GET /v1/models.',
        usual: 'the name, if it has no *',
        example: ['gpt-5'],
      },
    },
  },
  failover: {
    means: 'What happens when one of several upstreams or keys fails.',
    within: FAILOVER_WORDS,
  },
}
