import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cases } from '../cases.ts'
import type { LogEntry } from '../../src/observe/entry.ts'
import { createLog, type LogOptions } from '../../src/observe/log.ts'
import { readableLine } from '../../src/observe/readable.ts'

const entry: LogEntry = {
  id: 'ex-1',
  method: 'POST',
  path: '/v1/messages',
  caller: 'ci',
  dialect: 'messages',
  upstream: 'openai',
  model: 'opus',
  sentModel: 'gpt-5',
  status: 200,
  totalMs: 1234.4,
  usage: { input: 12, output: 34 },
  losses: [{ code: 'dropped', path: 'sampling.topK' }],
}

/** When it happens in these tests, by the clock on the wall. */
const CLOCK = new Date(0).toTimeString().slice(0, 8)

function written(entry: LogEntry, options: Partial<LogOptions> = {}): string[] {
  const lines: string[] = []
  const log = createLog({
    write: (line) => lines.push(line),
    now: () => 0,
    secrets: [],
    ...options,
  })
  log(entry)
  return lines
}

describe('the log', () => {
  it('is one JSON object per exchange', () => {
    expect(written(entry).map((line) => JSON.parse(line))).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'info',
        event: 'exchange',
        ...entry,
        losses: ['dropped sampling.topK'],
      },
    ])
    const { losses: _, ...without } = entry
    const attempts = Array.from({ length: 9 }, () => ({ member: 'openai', status: 529, ms: 1 }))
    expect(JSON.parse(written({ ...entry, attempts }).join())).toMatchObject({
      attempts: attempts.slice(1),
    })
    expect(JSON.parse(written(without).join())).not.toHaveProperty('losses')
  })

  it('begins with its time, says how much was cached at its end, and has the same order when it is shortened', () => {
    const cached = { ...entry, usage: { input: 12, cacheRead: 3 }, losses: [] }
    for (const path of ['/v1/messages', '/x'.repeat(400)]) {
      const [line = ''] = written({ ...cached, path })
      const { losses: _, ...rest } = cached
      const names = ['time', 'level', 'event', ...Object.keys(rest), 'cached']
      expect(Object.keys(JSON.parse(line))).toEqual(names)
      expect(line.length).toBeLessThan(600)
    }
  })

  it('is a readable line on a terminal, in colour where that is wanted', () => {
    const plain = `${CLOCK}  200  POST  /v1/messages  ci messages > openai  opus = gpt-5  1234 ms  12 + 34 tokens  lost: dropped sampling.topK`
    expect(written(entry, { spell: readableLine(false) })).toEqual([plain])
    expect(written(entry, { spell: readableLine(true) })).toEqual([
      plain.replace('200', '\u001b[32m200\u001b[0m'),
    ])
    const failed = { id: 'x', method: 'GET', path: '/x', status: 502, totalMs: 1, error: 'gone' }
    expect(written(failed, { spell: readableLine(false) })).toEqual([
      `${CLOCK}  502  GET  /x  1 ms  gone`,
    ])
    expect(written({ ...failed, reason: 'ECONNREFUSED' }, { spell: readableLine(false) })).toEqual([
      `${CLOCK}  502  GET  /x  1 ms  gone  (ECONNREFUSED)`,
    ])
  })

  it('stays short for a person, however much is lost', () => {
    const losses = ['a', 'b', 'c', 'd', 'e'].map((path) => ({ code: 'dropped' as const, path }))
    const [line] = written({ ...entry, losses }, { spell: readableLine(false) })
    expect(line).toContain('lost: dropped a, dropped b, dropped c and 2 more')
  })

  it('is one line, whatever callers and upstreams write', () => {
    const foreign = fc.string({
      unit: fc.constantFrom(
        '\r',
        '\n',
        '\u001b[2J',
        '\u009b',
        '\u2028',
        '\u202e',
        '\0',
        'a',
        '"',
        '\\',
      ),
      maxLength: 400,
    })
    fc.assert(
      fc.property(foreign, fc.constantFrom(undefined, readableLine(false)), (text, spell) => {
        const lines = written({ ...entry, path: text, model: text, error: text }, { spell })
        expect(lines).toHaveLength(1)
        expect(lines.join()).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
        expect(lines.join().length).toBeLessThan(6 * 3 * 256 + 500)
        if (!spell) expect(() => JSON.parse(lines.join())).not.toThrow()
      }),
      cases(1000),
    )
  })

  it('caps what is long', () => {
    const line = JSON.parse(written({ ...entry, model: 'm'.repeat(300) }).join())
    expect(line.model).toBe(`${'m'.repeat(255)}…`)
    const losses = Array.from({ length: 30 }, (_, index) => ({
      code: 'dropped' as const,
      path: `turns.${index}`,
    }))
    expect(JSON.parse(written({ ...entry, losses }).join()).losses).toHaveLength(21)
  })

  it('shows no secret, wherever it got in', () => {
    const secrets = ['sk-0123456789', 'sk-0123456789-longer']
    const leaky = { ...entry, path: '/sk-0123456789-longer', error: 'with sk-0123456789 in it' }
    for (const spell of [undefined, readableLine(false)]) {
      const line = written(leaky, { spell, secrets }).join()
      expect(line).not.toContain('sk-')
      expect(line).not.toContain('longer')
      expect(line).toContain('with *** in it')
      const cut = { ...entry, error: 'x'.repeat(250) + secrets[0] }
      expect(written(cut, { spell, secrets }).join()).not.toContain('sk-0')
    }
  })
})

function gathered(secrets: () => readonly string[] = () => []) {
  const written: string[] = []
  const runs: (() => void)[] = []
  let ms = 0
  const log = createLog({
    write: (text) => written.push(text),
    now: () => (ms += 1000),
    later: (run) => runs.push(run),
    secrets,
  })
  return { log, written, runs }
}

const telling = (id: string): LogEntry => ({ ...entry, id, reason: 'old-secret-0123456789' })

describe('a log whose lines are written together', () => {
  it('writes them later, in their order, each with the time when it was logged', () => {
    const { log, written, runs } = gathered()
    for (const id of ['one', 'two', 'three']) log({ ...entry, id })
    expect([written.length, runs.length]).toEqual([0, 1])
    runs[0]?.()
    expect(written).toHaveLength(1)
    const lines = written[0]?.split('\n').map((line) => JSON.parse(line)) ?? []
    expect(lines.map(({ id, time }) => [id, time])).toEqual([
      ['one', '1970-01-01T00:00:01.000Z'],
      ['two', '1970-01-01T00:00:02.000Z'],
      ['three', '1970-01-01T00:00:03.000Z'],
    ])
    runs[0]?.()
    expect(written).toHaveLength(1)
    log(entry)
    expect(runs).toHaveLength(2)
  })

  it('masks the secrets of the time when it was logged, which may be forgotten by then', () => {
    let secrets = ['old-secret-0123456789']
    const { log, written, runs } = gathered(() => secrets)
    log(telling('before'))
    secrets = ['new-secret-0123456789']
    log(telling('after'))
    runs[0]?.()
    const lines = written[0]?.split('\n').map((line) => JSON.parse(line)) ?? []
    expect(lines.map(({ id, reason }) => [id, reason])).toEqual([
      ['before', '***'],
      ['after', 'old-secret-0123456789'],
    ])
  })

  it('does not let any number of them wait', () => {
    const { log, written } = gathered()
    for (let count = 0; count < 1000; count += 1) log(entry)
    expect(written.join('\n').split('\n').length).toBeGreaterThan(700)
  })
})
