import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { records, type Malformed } from './records.ts'

let folder = ''

const line = (id: string, more: object = {}): string =>
  JSON.stringify({
    id,
    dialect: 'messages',
    op: 'create',
    kind: 'json',
    request: { path: '/v1/messages', body: { model: 'm' } },
    response: { status: 200, body: {} },
    ...more,
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replay-'))
  const lines = Array.from({ length: 10 }, (_, index) => line(`a-${index}`))
  await writeFile(join(folder, 'a.jsonl'), `${lines.join('\n')}\n\n`)
  await writeFile(join(folder, 'b.jsonl'), `${line('b-1')}\nno json\n[1]\n{"id":"b-2"}\n`)
  await writeFile(join(folder, 'README.md'), 'words')
})
afterAll(() => rm(folder, { recursive: true }))

async function read(sample?: number) {
  const malformed: Malformed[] = []
  const ids: string[] = []
  for await (const { id } of records(folder, sample, (one) => malformed.push(one))) ids.push(id)
  return { ids, malformed }
}

describe('records', () => {
  it('come one by one, and what is none is reported with its place', async () => {
    const { ids, malformed } = await read()
    expect(ids).toEqual([...Array.from({ length: 10 }, (_, index) => `a-${index}`), 'b-1'])
    expect(malformed.map(({ line: number, what }) => `${number}: ${what}`)).toEqual([
      '2: is no JSON',
      '3: is no object',
      '4: has no id or no dialect',
    ])
  })

  it('are spread evenly in a sample', async () => {
    const { ids, malformed } = await read(7)
    expect(ids.length + malformed.length).toBe(7)
    expect(ids[0]).toBe('a-1')
  })

  it('may call a dialect by a shorter name', async () => {
    await writeFile(join(folder, 'c.jsonl'), line('c-1', { dialect: 'chat' }))
    const found: string[] = []
    for await (const { dialect } of records(folder, undefined, () => {})) found.push(dialect)
    await rm(join(folder, 'c.jsonl'))
    expect(found.at(-1)).toBe('chat-completions')
  })

  it('know a model that stands in a path', async () => {
    const path = '/v1beta/models/gem-1:generateContent'
    await writeFile(join(folder, 'c.jsonl'), line('c-1', { request: null, assumed: { path } }))
    const found: string[] = []
    for await (const { model } of records(folder, undefined, () => {})) found.push(model)
    await rm(join(folder, 'c.jsonl'))
    expect(found.at(-1)).toBe('gem-1')
  })
})
