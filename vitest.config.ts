import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

const common = {
  include: ['test/**/*.test.ts'],
  testTimeout: 30_000,
  silent: 'passed-only' as const,
}

/** The tests run with nothing configured, also where a developer's .dev.vars says otherwise. */
const UNCONFIGURED = {
  DRAGOMAN_CONFIG: '',
  DRAGOMAN_DIALECT: '',
  DRAGOMAN_URL: '',
  DRAGOMAN_PROFILE: '',
  DRAGOMAN_CALLER_KEYS: '',
  DRAGOMAN_IMAGE_URL: '',
  DRAGOMAN_MUSIC_URL: '',
  DRAGOMAN_STATE: '',
  DRAGOMAN_LOSSES: '',
}

export default defineConfig({
  test: {
    // By default one core is left idle, and of two that is half.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...common,
          name: 'node',
          exclude: ['test/**/*.workerd.test.ts', '**/node_modules/**'],
          // Whoever reaches for the prototype of an object by its name is noticed.
          execArgv: ['--disable-proto=throw'],
          // And so is a key where it does not belong; modules can be replaced on Node only.
          setupFiles: ['test/canary/setup.ts'],
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
          exclude: ['test/**/*.node.test.ts', '**/node_modules/**'],
        },
      },
    ],
  },
})
