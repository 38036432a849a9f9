import { afterAll, expect, it } from 'vitest'
import { emptyFolder } from '../node/command.ts'

const folder = emptyFolder()
afterAll(() => folder.remove())

it('the log of the command says who has sent a request, where it is asked to', async () => {
  const upstreams = { a: { dialect: 'messages', url: 'http://demo.invalid/messages' } }
  folder.write('dragoman.json', JSON.stringify({ upstreams, log: { client: true } }))
  const proxy = folder.run(['--port', '0'])
  const url = await proxy.listening()
  await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'agent/1.0',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }),
  })
  proxy.child.kill('SIGTERM')
  const { out } = await proxy.finished
  const lines = out
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line))
  expect(lines).toContainEqual(
    expect.objectContaining({ event: 'exchange', address: '127.0.0.1', userAgent: 'agent/1.0' }),
  )
})
