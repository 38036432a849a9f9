import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_SECRET_CHARACTERS, MAX_SECRET_FILE_BYTES } from '../../src/config/defaults.ts'
import { messagesReply } from '../dialects/messages/reply.ts'
import { emptyFolder, type Folder } from './command.ts'

let folder: Folder
let upstream: Server
let keys: string[]

beforeEach(async () => {
  folder = emptyFolder()
  keys = []
  upstream = createServer((incoming, response) => {
    keys.push(String(incoming.headers['x-api-key']))
    response.writeHead(200, { 'content-type': 'application/json' })
    incoming.resume().on('end', () => response.end(JSON.stringify(messagesReply('Hello'))))
  })
  await new Promise<void>((wake) => upstream.listen(0, '127.0.0.1', wake))
})
afterEach(() => {
  folder.remove()
  upstream.close().closeAllConnections()
})

const file = () => join(folder.path, 'key')
const configure = (key = `file:${file()}`) => {
  const { port } = upstream.address() as AddressInfo
  const claude = { dialect: 'messages', url: `http://127.0.0.1:${port}`, key }
  folder.write('dragoman.json', JSON.stringify({ upstreams: { claude } }))
}
const ask = async (address: string): Promise<number> => {
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${address}/v1/messages`, init)
  await answer.text()
  return answer.status
}

const TOKEN = Array.from({ length: 1500 }, (_, at) => `${at}aZ`).join('')
const PIPE = 'is no regular file, from which a secret is read'
const LARGE = `is larger than ${MAX_SECRET_FILE_BYTES} bytes, which no secret is`
const pipe = () => void spawnSync('mkfifo', [file()])
const large = () => folder.write('key', 'x'.repeat(1_000_000))

describe('a secret in a file', () => {
  it('may be as long as the tokens of clouds', async () => {
    folder.write('key', `${TOKEN}\n`)
    configure()
    const address = await folder.run(['--port', '0']).listening()
    expect(await ask(address)).toBe(200)
    expect(keys).toEqual([TOKEN])
  })

  it.each([
    ['a pipe without a writer', pipe, PIPE],
    ['a folder', () => mkdirSync(file()), PIPE],
    ['a megabyte', large, LARGE],
    [
      'more than a header takes',
      () => folder.write('key', 'x'.repeat(MAX_SECRET_CHARACTERS + 1)),
      `expected at most ${MAX_SECRET_CHARACTERS}`,
    ],
  ])('is refused in one sentence where it is %s', async (_, put, sentence) => {
    put()
    configure()
    const { code, error } = await folder.run(['check']).finished
    expect(code).toBe(78)
    expect(error).toContain(sentence)
  })

  it('is refused where it is a device without an end', async () => {
    configure('file:/dev/zero')
    const { code, error } = await folder.run(['check']).finished
    expect(code).toBe(78)
    expect(error).toContain(PIPE)
  })

  it.each([
    ['a pipe', pipe, PIPE],
    ['a megabyte', large, LARGE],
  ])('that becomes %s is refused while the proxy goes on', async (_, put, sentence) => {
    folder.write('key', TOKEN)
    configure()
    const command = folder.run(['--port', '0', '--watch'])
    const address = await command.listening()
    rmSync(file())
    put()
    await expect
      .poll(() => command.printed().error, { timeout: 20_000 })
      .toContain(`not reloaded: dragoman.json:1:`)
    expect(command.printed().error).toContain(sentence)
    expect(await ask(address)).toBe(200)
    // What is a secret again is taken.
    folder.write('next', `${TOKEN}-2`)
    renameSync(join(folder.path, 'next'), file())
    await expect
      .poll(async () => ((await ask(address)) === 200 ? keys.at(-1) : undefined), {
        timeout: 20_000,
      })
      .toBe(`${TOKEN}-2`)
  })
})
