import { KEY } from './upstreams.ts'
import { type Word } from './word.ts'

/** `*` stands for a name, or for the number of an entry. */
const CALLER_LIMITS = (place: string): Record<string, Word> => ({
  [`${place}.requestsPerMinute`]: {
    means: 'Requests per minute; so many may come at once.',
    usual: 'any number',
    example: 60,
  },
  [`${place}.tokensPerMinute`]: {
    means: 'Tokens per minute, in and out. Whoever has used more than came in has to wait.',
    usual: 'any number',
    example: 200_000,
  },
  [`${place}.concurrent`]: {
    means: 'Requests underway at a time.',
    usual: 'any number',
    example: 8,
  },
  [`${place}.usdPerDay`]: {
    means:
      'US dollars per day (UTC), by the prices that are known. Requests underway count with the most that they may cost.',
    usual: 'any amount',
    example: 5,
  },
})

/** Callers with their keys and limits, and the task services. */
export const CALLER_WORDS: Readonly<Record<string, Word>> = {
  callers: {
    means: 'Who may call: the keys of the callers, or open to everyone.',
    usual: 'open on a loopback address; needed on any other, and on Workers',
    example: 'open',
  },
  'callers.keys': {
    means: 'Keys of 16 characters or more, alone or with a name and what it may do.',
    example: ['env:PROXY_KEY'],
  },
  'callers.keys.*.name': {
    means: 'What the log, the metrics and /usage call the caller.',
    usual: 'key-1, key-2 and so on, after its place, for a key alone',
    example: 'ci',
  },
  'callers.keys.*.key': {
    means:
      'What the caller presents: literally, as env:NAME or file:/PATH, or sha256: and its hash.',
    example: 'env:CI_KEY',
  },
  'callers.keys.*.models': {
    means:
      'The models that this caller may use, by the names that callers send; a name may contain *.',
    usual: 'any',
    example: ['claude-*'],
  },
  'callers.keys.*.limits': {
    means: 'What this caller may use of this process.',
    usual: 'callers.limits',
  },
  ...CALLER_LIMITS('callers.keys.*.limits'),
  'callers.keys.*.expires': {
    means: 'The day (UTC) from which on the key is refused.',
    usual: 'never',
    example: '2027-01-01',
  },
  'callers.limits': {
    means: 'What each caller without limits of its own may use of this process.',
    usual: 'as much as there is',
  },
  ...CALLER_LIMITS('callers.limits'),
  tasks: { means: 'The upstreams of the task services.', usual: 'none' },
  'tasks.image': { means: 'The service behind /img.' },
  'tasks.music': { means: 'The service behind /music.' },
  'tasks.*.url': { means: 'Where the task service is.', example: 'https://tasks.example' },
  'tasks.*.key': { means: KEY, usual: 'no key is sent', example: 'env:TASK_KEY' },
  'tasks.*.prefix': {
    means: 'Where the service lives at its upstream.',
    usual: '/img or /music',
    example: '/api/img',
  },
}
