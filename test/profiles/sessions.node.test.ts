import { describe, expect, test } from 'vitest'
import { RefusedError, SESSIONS, type Turn } from './sessions.ts'
import { SERVERS } from './servers.ts'
import { siteOf } from './stand-in.ts'

/** By the names that agents have for them; the demo calls what it is asked for. */
const CALLED: Readonly<Record<string, Turn['calls']>> = {
  Codex: [
    { name: 'shell', input: '{"cell":"example"}' },
    { name: 'apply_patch', input: 'example' },
    { name: 'search', namespace: 'mcp__notes', input: '{"cell":"example"}' },
  ],
  'Codex 0.144': [
    { name: 'shell', namespace: 'functions', input: '{"cell":"example"}' },
    { name: 'apply_patch', namespace: 'functions', input: 'example' },
  ],
  'openai, with a memory': [{ name: 'shell', input: '{"cell":"example"}' }],
  'Claude Code': [{ name: 'Bash', input: '{"cell":"example"}' }],
  'Gemini CLI': [{ name: 'run_shell', input: '{"cell":"example"}' }],
  'a chat client': [
    { name: 'shell', input: '{"cell":"example"}' },
    { name: 'patch', input: 'example' },
  ],
}

describe.each(SERVERS)('$profile, which speaks a part of $dialect', (server) => {
  test.each(SESSIONS)('with its profile serves $agent to the end', async ({ agent, play }) => {
    const turns = await play(siteOf(server, server.profile))
    expect(turns.flatMap(({ calls }) => calls)).toEqual(CALLED[agent])
    for (const { text, calls } of turns) expect(text !== '' || calls.length > 0).toBe(true)
  })
})

describe.each(SERVERS.filter(({ refusals }) => refusals.length > 0))(
  '$profile without its profile, in $dialect',
  (server) => {
    test('refuses an agent, and the error says which profile would have helped', async () => {
      const said: string[] = []
      for (const { play } of SESSIONS)
        await play(siteOf(server)).catch((error: unknown) => {
          if (!(error instanceof RefusedError)) throw error
          said.push(error.message)
        })
      expect(said).not.toEqual([])
      expect(
        said.filter((one) => !one.includes(String.raw`\"profile\": \"${server.profile}\"`)),
      ).toEqual([])
    })
  },
)
