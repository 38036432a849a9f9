import { describe, expect, test } from 'vitest'
import { DRIVERS } from './drivers.ts'
import { DIALECTS } from '../../adapters/dialect.ts'
import { officials } from '../dialects/official/index.ts'
import type { OddReply } from './odd-reply.ts'
import { stage } from './proxy.ts'
import { CLOCK } from './scene.ts'

const ODD_REPLIES = DIALECTS.flatMap((upstream) =>
  officials[upstream].oddReplies.map((odd): OddReply => ({ upstream, ...odd })),
)

describe.each(DRIVERS)('$name', (driver) => {
  describe.each([false, true])('stream: %s', (stream) => {
    const replies = ODD_REPLIES.filter(
      ({ upstream, only }) => upstream !== driver.dialect && only !== (stream ? 'json' : 'stream'),
    )
    test.each(replies)('understands $name of $upstream', async ({ upstream, answer, wanted }) => {
      const staged = stage(upstream, () => answer(stream))
      const talk = driver.talk(staged, { stream, tools: [CLOCK], maxTokens: 500 })
      const outcome = await talk.say('Hello?')
      expect(outcome).toMatchObject(driver.forgetsThoughts ? { ...wanted, thinking: '' } : wanted)
      if (wanted.calls === undefined && wanted.stop === 'tool-call')
        expect(outcome.calls).toMatchObject([{ name: 'get_time', input: { zone: 'utc' } }])
    })
  })
})
