import { describe, expect, test } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { officials } from '../dialects/official/index.ts'
import type { Stage } from '../sdk/stage.ts'
import { SERVERS } from './servers.ts'
import { siteOf } from './stand-in.ts'

const TOOLS = [
  {
    name: 'get_weather',
    description: 'The weather of a city.',
    schema: {
      type: 'object' as const,
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
]

const PICTURE = { mediaType: 'image/png', data: 'iVBORw0KGgo=' }

const unheard = (): never => {
  throw new Error('nothing is scripted')
}

const toStage = ({ fetch }: ReturnType<typeof siteOf>): Stage => ({
  fetch,
  received: [],
  heard: unheard,
})

/** The libraries of the dialects, as streams and whole by turns. */
const CLIENTS = DIALECTS.map((dialect, index) => ({
  ...officials[dialect].driver,
  stream: index % 2 === 0,
}))

describe.each(SERVERS)('$profile, which speaks a part of $dialect', (server) => {
  test.each(CLIENTS)('serves $name over $dialect', async ({ talk, stream }) => {
    const site = siteOf(server, server.profile)
    const options = { stream, system: 'Be kind.', tools: TOOLS, thinking: true, maxTokens: 8000 }
    const conversation = talk(toStage(site), options)
    expect((await conversation.say('Say hello.')).text).toContain('Say hello.')
    const { calls } = await conversation.say('Please call get_weather')
    expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'get_weather', input: { city: 'example' } },
    ])
    const answers = calls.map((call) => ({ call, output: 'It rains.', image: PICTURE }))
    expect((await conversation.answer(answers)).text).not.toBe('')
    expect((await conversation.say('Thank you.')).text).toContain('Thank you.')
  })
})
