import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { emptyFolder } from './command.ts'
import { undisturbed } from './undisturbed.ts'

const folder = emptyFolder()
afterAll(() => folder.remove())

it('a state file that another process has keeps nobody waiting who does not need it', async () => {
  const command = folder.run(['--port', '0'], { DRAGOMAN_STATE: 'sqlite:state.db' })
  const url = await command.listening()
  const post = async (path: string, body: object) => {
    const began = performance.now()
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(url + path, init)
    await response.text()
    return { status: response.status, ms: performance.now() - began }
  }
  const kept = { model: 'demo-messages', input: 'Hi' }
  const passing = {
    model: 'demo-responses',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  }
  expect((await post('/v1/responses', kept)).status).toBe(200)
  await undisturbed(async () => {
    const other = new DatabaseSync(join(folder.path, 'state.db'))
    other.exec('BEGIN IMMEDIATE')
    const waiting = Promise.all(Array.from({ length: 10 }, () => post('/v1/responses', kept)))
    await new Promise((done) => setTimeout(done, 100))
    const passed = []
    for (let count = 0; count < 5; count += 1) passed.push(await post('/v1/messages', passing))
    other.exec('COMMIT')
    other.close()
    const waited = await waiting
    for (const { status } of [...passed, ...waited]) expect(status).toBe(200)
    for (const { ms } of passed) expect(ms).toBeLessThan(800)
    for (const { ms } of waited) expect(ms).toBeGreaterThan(90)
  })
})
