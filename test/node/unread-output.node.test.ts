import { Writable } from 'node:stream'
import { afterAll, expect, it } from 'vitest'
import { boundedOutput, MOST_WAITING_BYTES } from '../../src/node/server/unread-output.ts'
import { emptyFolder } from './command.ts'

const LINE = `${'x'.repeat(1023)}\n`
const FITTING = MOST_WAITING_BYTES / LINE.length

/** A pipe whose reader takes nothing until it is told to. */
function pipe() {
  const read: string[] = []
  let go: (() => void) | undefined
  let isRead = false
  const output = new Writable({
    write(chunk, _, done) {
      read.push(String(chunk))
      if (isRead) done()
      else go = done
    },
  })
  return {
    output,
    read,
    resume() {
      isRead = true
      go?.()
    },
  }
}

it('output that nobody reads fills no memory, and what was dropped is said', async () => {
  const { output, read, resume } = pipe()
  const said: string[] = []
  const write = boundedOutput(output, (line) => said.push(line))
  for (let index = 0; index < 3 * FITTING; index += 1) write(LINE)
  write(LINE + LINE)
  expect(output.writableLength).toBeLessThanOrEqual(MOST_WAITING_BYTES + LINE.length)
  expect(said).toEqual(['nobody reads the output, and lines of it are dropped until somebody does'])
  resume()
  await new Promise((resolve) => setImmediate(resolve))
  const dropped = 2 * FITTING + 1
  expect(said.slice(1)).toEqual([`the output is read again; ${dropped} lines of it were dropped`])
  write('next\n')
  await new Promise((resolve) => setImmediate(resolve))
  // What was written before is whole, and nothing is dropped any more.
  expect(read.length).toBe(FITTING + 2)
  expect(read.at(-1)).toBe('next\n')
  expect(said.length).toBe(2)
})

const folder = emptyFolder()
afterAll(() => folder.remove())

it(
  'the command serves on and says it where nobody reads its log',
  { timeout: 180_000 },
  async () => {
    const command = folder.run(['--port', '0'])
    command.child.stdout?.pause()
    const address = await command.listening()
    // Each line names what was lost.
    const unknown = Array.from({ length: 20 }, (_, at) => [`${at}${'n'.repeat(200)}`, true])
    const body = JSON.stringify({
      model: 'demo-responses',
      messages: [{ role: 'user', content: 'Hi' }],
      ...Object.fromEntries(unknown),
    })
    const headers = { 'content-type': 'application/json' }
    const isSaid = () => command.printed().error.includes('nobody reads the output')
    const ask = async () => {
      for (let index = 0; index < 1000 && !isSaid(); index += 1) {
        const answer = await fetch(`${address}/v1/chat/completions`, {
          method: 'POST',
          headers,
          body,
        })
        expect(answer.status).toBe(200)
        await answer.text()
      }
    }
    await Promise.all(Array.from({ length: 8 }, ask))
    expect(isSaid()).toBe(true)
    command.child.stdout?.resume()
    await expect
      .poll(() => command.printed().error)
      .toMatch(/the output is read again; \d+ lines of it were dropped/)
    command.child.kill('SIGTERM')
    const { code, out } = await command.finished
    expect(code).toBe(0)
    // No line is in parts.
    for (const line of out.trim().split('\n')) JSON.parse(line)
  },
)
