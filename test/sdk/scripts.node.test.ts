import { describe, test } from 'vitest'
import { DRIVERS } from './drivers.ts'
import { SCENARIOS } from './scenarios.ts'
import { direct, says } from './stage.ts'

describe.each(DRIVERS)('$name takes the scripted upstream for the real one', (driver) => {
  const upstream = driver.dialect
  describe.each([false, true])('stream: %s', (stream) => {
    test.each(SCENARIOS)('$name', async ({ replies, play }) => {
      const stage = direct(upstream, says(upstream, ...replies(upstream)))
      await play({ driver, upstream, stream, stage, foreign: false })
    })
  })
})
