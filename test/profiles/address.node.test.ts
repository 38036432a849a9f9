import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { KNOWN_PROFILES } from '../../src/config/profiles.ts'
import { summary } from '../../src/node/command/describe.ts'
import { PLATFORM } from '../config/faulty.ts'

const settingsAt = (url: string, more: object = {}) =>
  readSettings({ upstreams: { a: { dialect: 'chat-completions', url, ...more } } }, {}, PLATFORM)

const readAt = (url: string, more?: object) => settingsAt(url, more).upstreams.get('a')

const factsOf = (name: string) =>
  KNOWN_PROFILES.find((row) => row.name === name && row.dialect === 'chat-completions')?.facts

describe('a server that is known by its address', () => {
  it.each([
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://team.openai.azure.com/openai/v1', 'azure'],
    ['https://eu.api.openai.com', 'openai'],
    ['https://API.DEEPSEEK.COM/v1', 'deepseek'],
    ['https://coding.dashscope.aliyuncs.com/v1', 'qwen'],
    ['http://localhost:11434/v1', 'ollama'],
    ['http://127.0.0.1:1234', 'lmstudio'],
    ['http://[::1]:1234', 'lmstudio'],
  ])('%s is %s', (url, profile) => {
    expect(readAt(url)).toMatchObject({ profile, isByAddress: true, server: factsOf(profile) })
  })

  it.each([
    'https://openrouter.ai.example/v1',
    'https://notopenrouter.ai/v1',
    'https://upstream.example:11434/v1',
    'http://localhost:8080/v1',
    'http://localhost/v1',
    'https://openrouter.example/openrouter.ai',
  ])('%s is none', (url) => {
    expect(readAt(url)).not.toHaveProperty('server')
    expect(readAt(url)).not.toHaveProperty('profile')
  })

  it('has one label in the place of a star', () => {
    expect(
      readAt('https://bedrock-mantle.eu-west-1.api.aws/v1', { dialect: 'responses' }),
    ).toMatchObject({
      profile: 'bedrock-mantle',
    })
    expect(readAt('https://api.aws/v1', { dialect: 'responses' })).not.toHaveProperty('profile')
  })

  it('has no profile in a dialect in which nothing is known of it', () => {
    expect(readAt('https://api.mistral.ai', { dialect: 'messages' })).not.toHaveProperty('profile')
  })

  it('gives way to what the configuration says', () => {
    expect(readAt('https://openrouter.ai/api/v1', { profile: 'none' })).not.toHaveProperty('server')
    const named = readAt('https://openrouter.ai/api/v1', { profile: 'vllm' })
    expect(named).toMatchObject({ profile: 'vllm', server: factsOf('vllm') })
    expect(named).not.toHaveProperty('isByAddress')
    const said = readAt('https://openrouter.ai/api/v1', { profile: { topK: false } })
    expect(said?.server).toEqual({ topK: false })
  })

  it('is said to be known so', () => {
    expect(summary(settingsAt('https://api.x.ai/v1')).join('\n')).toContain(
      'chat-completions (xai, by its address)',
    )
  })
})
