import { describe, expect, it } from 'vitest'
import { journal } from '../../src/exchange/journal.ts'
import type { LogEntry } from '../../src/observe/entry.ts'

describe('the entry of an exchange', () => {
  it('is the log’s once it is over: what is noted afterwards does not change it', () => {
    const log: LogEntry[] = []
    const head = { id: 'one', method: 'POST', path: '/v1/messages' }
    const kept = journal({ now: () => 0, log: (entry) => void log.push(entry) }, head)
    kept.note({ model: 'm' })
    kept.finish({ status: 200 })
    const [entry] = log
    const said = structuredClone(entry)
    kept.note({ model: 'other', reason: 'late' })
    kept.asks(5)
    kept.began()
    kept.sending()
    kept.finish({ status: 500 })
    expect(log).toEqual([said])
    expect(entry).toMatchObject({ model: 'm', status: 200, outcome: 'ok' })
  })
})
