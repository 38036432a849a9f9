import { availableParallelism } from 'node:os'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { Progress } from './test/progress.ts'

const common = {
  include: ['test/**/*.test.ts'],
  // No test is about this time: it ends one that hangs. On a machine that is busy with something else, the longest
  // take ten times as long as on one of their own.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // What is waited for comes, or a test hangs.
  expect: { poll: { timeout: 120_000 } },
  silent: 'passed-only' as const,
}

/** The tests run with nothing configured, also where a developer's .dev.vars says otherwise. */
const UNCONFIGURED = {
  DRAGOMAN_CONFIG: '',
  DRAGOMAN_DIALECT: '',
  DRAGOMAN_URL: '',
  DRAGOMAN_KEY: '',
  DRAGOMAN_PROFILE: '',
  DRAGOMAN_MODEL: '',
  DRAGOMAN_CALLER_KEYS: '',
  DRAGOMAN_IMAGE_URL: '',
  DRAGOMAN_IMAGE_KEY: '',
  DRAGOMAN_MUSIC_URL: '',
  DRAGOMAN_MUSIC_KEY: '',
  DRAGOMAN_STATE: '',
  DRAGOMAN_LOSSES: '',
  DRAGOMAN_WARM: '',
  DRAGOMAN_WORKERS: '',
}

const filesOf = (folder: string, names: readonly string[]) =>
  names.map((name) => `test/${folder}/${name}.node.test.ts`)

/** What measures time or memory, which others would change, has a process for each file. */
const ALONE = [
  ...['bench', 'growth', 'web'].map((folder) => `test/${folder}/**/*.node.test.ts`),
  ...filesOf('memory', ['isolate', 'limits', 'processes']),
  ...filesOf('node', ['let-go']),
  ...filesOf('recall', ['cost', 'held']),
  ...filesOf('security', ['time']),
  ...filesOf('stores', ['limits', 'sqlite']),
  ...filesOf('stream', ['small-pieces', 'waiting']),
]

/**
 * What opens sockets, starts processes or replaces parts of the proxy shares a process for each core, what that has
 * imported, and the command that was built. So does, apart from it, all that runs on workerd too.
 */
const OUTSIDE = [
  ...[
    'canary',
    'faults',
    'http',
    'inspect',
    'memory',
    'node',
    'pools',
    'recall',
    'security',
    'stores',
  ].map((folder) => `test/${folder}/**/*.node.test.ts`),
  ...filesOf('sockets', ['frames', 'official', 'standard', 'traps']),
]

const onNode = {
  // Whoever reaches for the prototype of an object by its name is noticed.
  execArgv: ['--disable-proto=throw'],
  // And so is a key where it does not belong; modules can be replaced on Node only.
  setupFiles: ['test/day.ts', 'test/canary/setup.ts'],
}

const OF_WORKERD = 'test/**/*.workerd.test.ts'
const INSTALLED = '**/node_modules/**'

export default defineConfig({
  test: {
    // One more than there are cores: some always wait, for a process, a socket or a timer.
    maxWorkers: availableParallelism() + 1,
    reporters: [
      'default',
      ...(process.env['GITHUB_ACTIONS'] ? ['github-actions'] : []),
      ...(process.stdout.isTTY ? [] : [new Progress()]),
    ],
    globalSetup: ['test/temporary.ts'],
    projects: [
      {
        test: {
          ...common,
          ...onNode,
          name: 'node',
          isolate: false,
          exclude: [...ALONE, ...OUTSIDE, OF_WORKERD, INSTALLED],
        },
      },
      {
        test: {
          ...common,
          ...onNode,
          name: 'node-outside',
          isolate: false,
          globalSetup: ['test/node/built.ts'],
          include: OUTSIDE,
          exclude: [...ALONE, OF_WORKERD, INSTALLED],
        },
      },
      {
        test: {
          ...common,
          ...onNode,
          name: 'node-alone',
          globalSetup: ['test/node/built.ts'],
          include: ALONE,
          exclude: [OF_WORKERD, INSTALLED],
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings: UNCONFIGURED },
          }),
        ],
        test: {
          ...common,
          name: 'workerd',
          isolate: false,
          setupFiles: ['test/day.ts', 'test/runtime/awake.ts'],
          exclude: ['test/**/*.node.test.ts', INSTALLED],
        },
      },
    ],
  },
})
