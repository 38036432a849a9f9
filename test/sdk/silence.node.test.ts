import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { kits } from '../dialects/index.ts'
import { DRIVERS } from './drivers.ts'
import { settingsFor, stage } from './proxy.ts'
import { call, DIALECTS, said, text } from './script.ts'
import { WEATHER } from './scene.ts'
import { says } from './stage.ts'

/** What keeps a silent connection alive must not disturb anybody. */
describe.each(DRIVERS)('$name', (driver) => {
  test.each(DIALECTS)('does not mind the heartbeats in the silence of %s', async (upstream) => {
    const { limits } = settingsFor(upstream, {})
    const pieces = [
      text('This takes a while, because there is much to think about. '.repeat(4)),
      call(kits[upstream].scripted.ids[0], 'get_weather', { city: 'Ulm' }),
    ]
    const script = says(upstream, said(pieces, 'tool-call'))
    const slow = stage(
      upstream,
      async (...request) => ({ ...(await script(...request)), silence: () => setTimeout(60) }),
      { limits: { ...limits, heartbeatMs: 10 } },
    )
    const talk = driver.talk(slow, { stream: true, tools: [WEATHER] })
    const outcome = await talk.say('Weather?')
    expect(outcome.text).toContain('much to think about.')
    expect(outcome.calls).toMatchObject([{ name: 'get_weather', input: { city: 'Ulm' } }])
  })
})
