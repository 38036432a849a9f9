import { afterEach, expect, it, vi } from 'vitest'
import { type Config, createApp } from '../../src/index.ts'

afterEach(() => vi.unstubAllEnvs())

const config: Config = {
  upstreams: { one: { dialect: 'messages', url: 'https://one.invalid', key: 'env:LIBRARY_KEY' } },
}

it('looks keys up in the variables of the process, or where it is told to', () => {
  expect(() => createApp(config)).toThrow('the environment variable LIBRARY_KEY is not set')
  expect(() => createApp(config, {}, { LIBRARY_KEY: 'sk-1' })).not.toThrow()
  vi.stubEnv('LIBRARY_KEY', 'sk-2')
  expect(() => createApp(config)).not.toThrow()
  expect(() => createApp(config, {}, {})).toThrow('is not set')
})
