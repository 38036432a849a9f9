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
  '--disable-lcd-text',
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
  /** What went wrong in it: exceptions, errors on the console, what its policy forbids. */
  readonly problems: readonly string[]
  /** A key, as `Enter` or `j`. */
  press(key: string): Promise<void>
  /** How it is shown. */
  show(as: { width: number; height: number; dark?: boolean }): Promise<void>
  /** Without loss as a PNG, or much smaller as WebP. */
  picture(format: 'png' | 'webp'): Promise<Buffer>
}

export interface Browser {
  /** A page that has been loaded. */
  open(url: string): Promise<Page>
  close(): Promise<void>
}

/** A browser of its own, with an empty profile. */
export async function openBrowser(path: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'dragoman-browser-'))
  // What it leaves among the temporary files goes with its profile.
  const env = { ...process.env, TMPDIR: profile }
  const child = spawn(path, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], { env })
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
      const problems: string[] = []
      tools.listen(String(sessionId), (method, told) => {
        const text = problemIn(method, told)
        if (text !== undefined) problems.push(text)
      })
      await Promise.all(['Runtime', 'Log', 'Page'].map((domain) => call(`${domain}.enable`, {})))
      const page: Page = {
        problems,
        async press(key) {
          const code = KEY_CODES.get(key) ?? key.toUpperCase().charCodeAt(0)
          const common = { key, code: key, windowsVirtualKeyCode: code }
          const text = key === 'Enter' ? '\r' : key
          const down = key.length === 1 || key === 'Enter' ? { text } : {}
          await call('Input.dispatchKeyEvent', { type: 'keyDown', ...common, ...down })
          await call('Input.dispatchKeyEvent', { type: 'keyUp', ...common })
        },
        async show({ width, height, dark = false }) {
          const metrics = { width, height, deviceScaleFactor: 1, mobile: false }
          await call('Emulation.setDeviceMetricsOverride', metrics)
          const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]
          await call('Emulation.setEmulatedMedia', { features })
        },
        async picture(format) {
          const quality = format === 'webp' ? { quality: 85 } : {}
          const { data } = await call('Page.captureScreenshot', { format, ...quality })
          return Buffer.from(String(data), 'base64')
        },
        async evaluate(expression) {
          const options = { expression, awaitPromise: true, returnByValue: true }
          const { result, exceptionDetails } = await call('Runtime.evaluate', options)
          if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
          return (result as { value?: unknown }).value
        },
      }
      await call('Page.navigate', { url })
      const [address = ''] = url.split('#')
      while ((await page.evaluate('location.href + document.readyState')) !== `${address}complete`)
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

const KEY_CODES = new Map([
  ['Enter', 13],
  ['Tab', 9],
  ['Escape', 27],
  ['ArrowDown', 40],
  ['ArrowUp', 38],
])

/** What an event of the browser says of a fault. */
function problemIn(method: string, told: Told): string | undefined {
  if (method === 'Runtime.exceptionThrown') return JSON.stringify(told['exceptionDetails'])
  if (method === 'Log.entryAdded') {
    const { level, text } = (told['entry'] ?? {}) as { level?: string; text?: string }
    return level === 'error' ? text : undefined
  }
  const isError = method === 'Runtime.consoleAPICalled' && told['type'] === 'error'
  return isError ? JSON.stringify(told['args']) : undefined
}

/** The developer tools' protocol: a question has a number, and so has its answer. */
async function connected(url: string) {
  const socket = new WebSocket(url)
  const waiting = new Map<number, (told: Told) => void>()
  const listeners = new Map<string, (method: string, told: Told) => void>()
  socket.addEventListener('message', ({ data }) => {
    const told: Answered = JSON.parse(String(data))
    if (told.method) listeners.get(told.sessionId ?? '')?.(told.method, told.params ?? {})
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
    listen: (session: string, heard: (method: string, told: Told) => void) =>
      void listeners.set(session, heard),
    close: () => socket.close(),
  }
}

interface Answered {
  id?: number
  result?: Told
  error?: Told
  method?: string
  sessionId?: string
  params?: Told
}
