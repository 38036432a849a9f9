import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config/config.ts'
import { modelFindings, modelList, modelText, routedModels } from '../../src/node/command/models.ts'

const settings = readSettings(
  {
    upstreams: {
      u: {
        dialect: 'messages',
        url: 'https://u.example',
        key: 'k'.repeat(16),
        models: { prod: { is: 'claude-opus-5-5', prefill: true } },
      },
    },
    routes: [
      { model: 'claude-opus-5', upstream: 'u' },
      { model: 'claude-sonnet-4-5', upstream: 'u' },
      { model: 'a', upstream: 'u', as: 'prod' },
      { model: 'b', upstream: 'u', as: 'my-deployment' },
      { model: 'qwen3.7-plus', upstream: 'u' },
      { model: 'o1', upstream: 'u' },
      { model: '*', upstream: 'u' },
    ],
  },
  {},
)

const said = (day: string) =>
  modelFindings(settings, day).map(({ text, warns }) => `${warns} ${text}`)

describe('dragoman models', () => {
  it('trap 40: prints each fact with its sources, their days, and who says otherwise', () => {
    const text = modelText('us.anthropic.claude-opus-5-v1:0')
    expect(text).toContain('is claude-opus-5 at bedrock')
    expect(text).toMatch(/thinking adaptive +pydantic.*, 20\d\d-\d\d-\d\d; .*against: AI SDK/)
    expect(text).toMatch(/at bedrock:\n.*structured no/)
  })

  it('trap 40: prints both names of an alias', () => {
    const text = modelText('gemini-flash-latest')
    expect(text).toContain('gemini-flash-latest is gemini-3.8-flash')
    expect(text).toContain('gemini-flash-latest itself:')
  })

  it('says how an unknown name is taken', () => {
    expect(modelText('claude-opus-9')).toContain(
      'taken for the newest of its family, claude-opus-5-5',
    )
    expect(modelText('my-deployment')).toContain('.is names the model that it is')
  })

  it('prints what is configured', () => {
    expect(modelText('prod', settings)).toMatch(
      /upstreams\.u\.models\.prod says:\n.*is "claude-opus-5-5"/,
    )
  })

  it('lists all names by their makers', () =>
    expect(modelList()).toMatch(/^Anthropic\n {2}claude-/))
})

describe('check', () => {
  it('says what each routed model is known as', () => {
    expect(routedModels(settings).map(([, model, , what]) => `${model}: ${what}`)).toContain(
      'my-deployment: not known',
    )
  })

  it('traps 32, 37 and 39: warns once of each that is unknown, has no price, or ends', () => {
    expect(said('2026-11-28')).toEqual([
      'true claude-sonnet-4-5 ends at its service on 2026-11-30',
      'true qwen3.7-plus has no price, so limits and logs do not count what it costs; say it in upstreams.u.models."qwen3.7-plus".price',
      'true o1 has ended at its service on 2026-10-23; gpt-5.6-sol takes its place',
      'true my-deployment is no known model, and nothing is known of it; say in upstreams.u.models."my-deployment".is what it is',
    ])
    expect(said('2026-12-01')[0]).toContain('has ended at its service on 2026-11-30')
  })

  it('says of hundreds of unknown models how many they are', () => {
    const routes = Array.from({ length: 300 }, (_, index) => ({
      model: `m${index}`,
      upstream: 'u',
    }))
    const url = 'https://upstream.example'
    const many = readSettings({ upstreams: { u: { dialect: 'messages', url } }, routes }, {})
    const findings = modelFindings(many)
    expect(findings).toHaveLength(4)
    expect(findings.at(-1)).toMatchObject({
      path: ['routes', 3],
      text: expect.stringContaining('this and 296 further models are not known either'),
    })
  })
})
