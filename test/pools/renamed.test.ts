import { describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/type.ts'
import { isObject, parseObject } from '../../src/json/json.ts'
import { DIALECTS, good, key, siteOf, voiceOf } from './site.ts'

const failing = () => ({ status: 529, headers: new Headers(), body: null })

function siteWith(dialect: string, routes: Config['routes'], scripts = {}) {
  const upstream = (name: string) => ({
    dialect: dialect as 'messages',
    url: `https://${name}.example`,
    key: key(name),
    profile: 'none',
    models: { 'm-known': { contextWindow: 9000 }, 'm-*': { maxOutputTokens: 50 } },
  })
  const config: Config = { upstreams: { one: upstream('one'), two: upstream('two') }, routes }
  return siteOf(config, { one: good(dialect), two: good(dialect), ...scripts })
}

const NAMES: [string, string, string, string][] = [
  ['vendor/*', '*', 'vendor/m-1', 'm-1'],
  ['vendor/*', 'other/*-x', 'vendor/m-1', 'other/m-1-x'],
  ['*-fast', '*', 'm-1-fast', 'm-1'],
  ['a-*-z', '*', 'a-m$1-z', 'm$1'],
  ['*', '*', 'm-1', 'm-1'],
  ['*', 'x/*', 'x/m-1', 'x/x/m-1'],
  ['vendor/*', '*', 'vendor/m-1[1m]', 'm-1'],
  ['*[1m]', '*', 'm-1[1m]', 'm-1'],
]

const pairs = DIALECTS.flatMap((caller) => DIALECTS.map((upstream) => [caller, upstream] as const))

describe.each(pairs)('a name that is sent otherwise, from %s to %s', (caller, dialect) => {
  it.each(NAMES)('by %s as %s: %s is %s', async (model, as, asked, sent) => {
    const site = siteWith(dialect, [{ model, upstream: 'one', as }])
    const answer = await site.ask({ voice: voiceOf(caller), model: asked })
    const [only] = site.sent
    const { body = '', request } = only ?? {}
    const inPath = decodeURIComponent(/models\/([^:]*):/.exec(request?.url ?? '')?.[1] ?? '')
    expect(parseObject(body)?.['model'] ?? inPath).toBe(sent)
    expect(answer.headers.get('x-dragoman-upstream')).toContain(`model=${sent}`)
    const told = parseObject(await answer.text()) ?? {}
    if (asked !== sent) expect(told['model'] ?? told['modelVersion']).toBe(asked)
    expect(site.log).toMatchObject([{ model: asked, sentModel: sent, route: model }])
  })
})

describe.each(DIALECTS)('over %s', (dialect) => {
  it('each member of a pool has its own name', async () => {
    const upstream = [{ name: 'one', as: 'a/*' }, 'two']
    const routes = [{ model: 'vendor/*', upstream, as: '*' }]
    const site = siteWith(dialect, routes, { one: failing })
    await site.ask({ model: 'vendor/m-1' })
    const names = site.sent.map(({ body, request }) => `${decodeURIComponent(request.url)} ${body}`)
    expect(names).toHaveLength(2)
    expect(names[0]).toMatch(/"model":"a\/m-1"|models\/a\/m-1:/)
    expect(names[1]).toMatch(/"model":"m-1"|models\/m-1:/)
    expect(site.log).toMatchObject([{ sentModel: 'm-1', member: 'two' }])
  })

  it('nothing is no name: the model is unknown', async () => {
    const site = siteWith(dialect, [{ model: 'vendor/*', upstream: 'one', as: '*' }])
    expect((await site.ask({ model: 'vendor/' })).status).toBe(404)
    expect(site.sent).toHaveLength(0)
  })

  it('is explained, listed by the caller’s name, and known by the facts of the model', async () => {
    const routes = [{ model: 'vendor/*', upstream: 'one', as: '*', models: ['vendor/m-2'] }]
    const site = siteWith(dialect, routes)
    const explained = await site.ask({ path: '/explain/v1/messages', model: 'vendor/m-1' })
    const told: unknown = await explained.json()
    expect(JSON.stringify(told)).toMatch(/"model":"m-1"|models\/m-1:/)
    const list = parseObject(await (await site.ask({ method: 'GET', path: '/v1/models' })).text())
    const data: unknown = list?.['data']
    const ids = Array.isArray(data) ? data.map((each) => isObject(each) && each['id']) : []
    expect(ids).toEqual(['vendor/m-2', 'vendor/m-known'])
  })
})
