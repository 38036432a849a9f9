import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'undici'

/** Where Debian, and others, have it; undefined where there is none. */
export const CHROMIUM = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path))

/** It calls nobody by itself, and foreign names lead to this machine without a name server. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-port=0',
  '--host-resolver-rules=MAP *.test 127.0.0.1, EXCLUDE localhost',
]

export interface Page {
  /** What an expression is, once its promise is kept. */
  evaluate(expression: string): Promise<unknown>
}

export interface Browser {
  /** A page that has been loaded. */
  open(url: string): Promise<Page>
  close(): Promise<void>
}

/** A browser of its own, with an empty profile. */
export async function openBrowser(path: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'dragoman-browser-'))
  const child = spawn(path, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'])
  const address = await new Promise<string>((found, failed) => {
    let said = ''
    child.once('exit', () => failed(new Error(`the browser ended: ${said}`)))
    child.stderr.on('data', (piece) => {
      said += piece
      const [url] = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said) ?? []
      if (url) found(url)
    })
  })
  const tools = await connected(address)
  return {
    async open(url) {
      const { targetId } = await tools.call('Target.createTarget', { url: 'about:blank' })
      const { sessionId } = await tools.call('Target.attachToTarget', { targetId, flatten: true })
      const call = (method: string, params: object) => tools.call(method, params, String(sessionId))
      const page: Page = {
        async evaluate(expression) {
          const options = { expression, awaitPromise: true, returnByValue: true }
          const { result, exceptionDetails } = await call('Runtime.evaluate', options)
          if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
          return (result as { value?: unknown }).value
        },
      }
      await call('Page.navigate', { url })
      while ((await page.evaluate('location.href + document.readyState')) !== `${url}complete`)
        await new Promise((wake) => setTimeout(wake, 20))
      return page
    },
    async close() {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
      tools.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Told = Record<string, unknown>

/** The developer tools' protocol: a question has a number, and so has its answer. */
async function connected(url: string) {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (told: Told) => void>()
  socket.addEventListener('message', ({ data }) => {
    const told: { id?: number; result?: Told; error?: Told } = JSON.parse(String(data))
    waiting.get(told.id ?? 0)?.(told.result ?? { exceptionDetails: told.error })
  })
  await new Promise((done) => socket.addEventListener('open', done))
  let count = 0
  return {
    call(method: string, params: object, sessionId?: string): Promise<Told> {
      const id = (count += 1)
      socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }))
      return new Promise((answer) => waiting.set(id, answer))
    },
    close: () => socket.close(),
  }
}
