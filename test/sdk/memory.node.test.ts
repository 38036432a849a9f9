import { describe, expect, test } from 'vitest'
import { othersThan } from '../dialects/index.ts'
import { proxyOf } from '../memory/proxy.ts'
import { expectWhole, reply, talk } from '../memory/ten-turns.ts'

describe.each(othersThan('responses'))('over %s', (dialect) => {
  test.each([true, false])(
    'ten turns with thoughts and tools, each of which brings only what is new (stream: %s)',
    async (stream) => {
      const proxy = proxyOf(({ dialect: speaks }) => reply(speaks, proxy.got.length))
      await talk({ client: () => proxy.client(), model: `${dialect}-x`, stream })
      expectWhole(
        dialect,
        proxy.got.map(({ body }) => body),
      )
      const losses = proxy.log.flatMap((entry) => entry.losses ?? [])
      // Other dialects have no word for how safe the service takes its own reply to be.
      const dropped = losses.filter(
        ({ code, path }) => code === 'dropped' && !path.endsWith('Ratings'),
      )
      expect(dropped).toEqual([])
    },
  )
})
