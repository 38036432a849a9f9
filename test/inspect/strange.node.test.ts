import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, openBrowser, type Browser, type Page } from '../web/chromium.ts'
import { lookingAt } from './looking.ts'
import { CALLER_KEY, openPlace, QUESTION, REPLY, streamed, type Place } from './place.ts'

if (!CHROMIUM)
  console.warn('\n*** SKIPPED: nobody looks at the page, there is no chromium here ***\n')

const NUMBERS = Array.from({ length: 200_000 }, () => 1)
const DEEP = `${'{"a":'.repeat(150)}"needle"${'}'.repeat(150)}`
/** `HIDE` in letters that no font shows, with which models are told what people do not see. */
const TAGS = String.fromCodePoint(...[...'HIDE'].map((c) => 0xe0000 + c.charCodeAt(0)))
/** Events of an upstream that wants the browser to make elements of what it says. */
const LURE = {
  innerHTML: '<meta http-equiv="refresh" content="0;url=/gone"><b id="lured"></b>',
  onclick: 'x',
  className: 'lured',
}
const THROWS = { toString: 1, valueOf: 1 }
const LURES = [
  ...[LURE, [LURE], [[LURE, 'x']], THROWS, 7, true].flatMap((type) => [
    { type },
    { type: null, object: type },
    { delta: type },
    { delta: { text: type } },
    { choices: [{ delta: { content: type, tool_calls: [type] } }] },
    { candidates: [{ content: { parts: [type, null, { text: type }] } }] },
  ]),
  null,
  'text',
  7,
  [LURE],
].map((event) => `data: ${JSON.stringify(event)}\n\n`)
const members = (more: string): string => JSON.stringify(REPLY).replace('{', `{${more},`)

const back = 'section[aria-label="upstream reply"]'

describe.skipIf(!CHROMIUM)('what is strange, on the page', () => {
  let place: Place
  let browser: Browser
  let page: Page
  let count = 0
  beforeAll(async () => {
    place = await openPlace((body) => {
      if (body.includes('Spell'))
        return { pieces: [members('"n":9007199254740993,"one":1.0,"large":1e400')] }
      if (body.includes('Deep')) return { pieces: [members(`"deep":${DEEP}`)] }
      if (body.includes('Many')) return { pieces: [members(`"list":[${NUMBERS}]`)] }
      if (body.includes('Hide')) return { pieces: [JSON.stringify({ ...REPLY, model: TAGS })] }
      if (body.includes('Long')) {
        const text = members(`"long":${JSON.stringify('x'.repeat(1e5))}`)
        return { pieces: [text.slice(0, 50), text.slice(50)], gapMs: 30 }
      }
      if (body.includes('Lure')) return { type: 'text/event-stream', pieces: LURES }
      if (body.includes('Stream')) {
        const words = Array.from({ length: 1500 }, (_, number) => `${number} `)
        return { type: 'text/event-stream', pieces: [streamed(words).join('')] }
      }
      return { pieces: [JSON.stringify(REPLY)] }
    })
    browser = await openBrowser(CHROMIUM ?? '')
    page = await browser.open(place.page.href)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await place.close()
  })

  const { see, text, until, pick, press } = lookingAt(() => page)
  const opened = () => pick((count += 1))
  const ask = async (content: string, more: object = {}) => {
    await place.send({ ...QUESTION, messages: [{ role: 'user', content }], ...more })
    await opened()
  }
  /** Sends a body as it is. */
  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => {
    await place.post(body, headers)
    await opened()
  }
  const click = async (name: string) => {
    await press(name)
    await until(`document.querySelector('#dialog').open`)
  }
  const close = () => see(`document.querySelector('#close').click()`)
  const find = (word: string) =>
    see(`(() => {
      const find = document.querySelector('${back} input[type=search]')
      find.value = '${word}'
      find.dispatchEvent(new Event('input'))
      return [...document.querySelectorAll('${back} .found')].map((each) => each.textContent).join()
    })()`)
  /** What a shell makes of what was copied, an argument a line. */
  const copiedArguments = async () => {
    const copied = String(await see(`window.copied`))
    const script = copied.replace(/^curl/, String.raw`printf '%s\n'`)
    const environment = { ...process.env, PROXY_KEY: CALLER_KEY, LC_ALL: 'C.UTF-8' }
    return execFileSync('bash', ['-c', script], { encoding: 'utf8', env: environment })
  }

  it('is spelled in the tree as it came: numbers, and letters that cannot be seen', async () => {
    await ask('Spell')
    const shown = String(await text(`${back} .content`))
    for (const each of ['n: 9007199254740993', 'one: 1.0', 'large: 1e400'])
      expect(shown).toContain(each)
    await click('replay')
    expect(await text('dialog pre')).toContain('"n":9007199254740993,"one":1.0,"large":1e400')
    await close()
    await ask('Hide')
    expect(await text(`${back} .content`)).toContain(String.raw`\u{e0048}\u{e0049}`)
  })

  it('is text, and never an element or a property of one, whatever an event says', async () => {
    const before = await see(`performance.timeOrigin`)
    await ask('Lure', { stream: true })
    expect(await see(`document.querySelectorAll('${back} table tbody > tr').length`)).toBe(
      LURES.length,
    )
    expect(await see(`document.querySelector('#lured, meta[http-equiv], .lured')`)).toBe(null)
    expect(await text(`${back} .content`)).toContain('http-equiv')
    await see(
      `document.querySelectorAll('${back} details').forEach((each) => { each.open = true })`,
    )
    await new Promise((wake) => setTimeout(wake, 200))
    expect(await see(`document.querySelector('#lured, meta[http-equiv], .lured')`)).toBe(null)
    expect(await see(`performance.timeOrigin`)).toBe(before)
  })

  it('could not be an element: the policy lets no text become one', async () => {
    expect(
      await see(`(() => {
        try {
          document.createElement('div').innerHTML = '<b>x</b>'
          return 'made'
        } catch (error) {
          return error.name
        }
      })()`),
    ).toBe('TypeError')
  })

  it('is a tree where JSON came in pieces', async () => {
    await ask('Long')
    expect(await text(`${back} [aria-pressed="true"]`)).toBe('tree')
    expect(await text(`${back} .content`)).toContain('long:')
  })

  it('does not hold the page up, however many values or levels there are', async () => {
    await ask('Many')
    expect(await find('nowhere')).toBe('')
    // The pane may still be drawn anew for what was found, and then be closed again.
    await until(`(() => {
      const list = document.querySelector('${back} details[data-at="/list"]')
      if (list && !list.open) list.open = true
      return document.querySelector('${back} .content').textContent.includes('199,000 more values')
    })()`)
    await ask('Deep')
    expect(await find('needle')).toContain('a: "needle"')
  })

  it('is played as fast as it came, also a long stream', async () => {
    await ask('Stream', { stream: true })
    await see(`document.querySelector('${back} .time button').click()`)
    await until(`/event (\\d+) of \\1,/.test(document.querySelector('${back} output').textContent)`)
    expect(await text(`${back} .said`)).toMatch(/1499 $/)
  })

  it('is copied for a shell as what it is, and as nothing that a terminal would obey', async () => {
    await see(`navigator.clipboard.writeText = async (text) => { window.copied = text }`)
    await post('@it\'s "strange"\u007f\u001b[201~\\n\r\n; echo no', { 'x-odd': "it's" })
    await click('curl')
    expect(await see('window.copied')).not.toMatch(/[^\P{Cc}\n]/u)
    const given = await copiedArguments()
    expect(given).toContain('@it\'s "strange"\u007f\u001b[201~\\n\r\n; echo no')
    expect(given).toContain("x-odd: it's")
    expect(given).toContain('--data-raw')
    await close()
    await post(gzipSync(JSON.stringify(QUESTION)), { 'content-encoding': 'gzip' })
    await click('curl')
    const unpacked = await copiedArguments()
    expect(unpacked).toContain(JSON.stringify(QUESTION))
    expect(unpacked).not.toContain('content-encoding')
    await close()
  })

  it('is said where it cannot be copied or compared whole', async () => {
    await post(JSON.stringify({ ...QUESTION, system: 'y'.repeat(2e6) }))
    await click('curl')
    expect(await text('dialog')).toContain('The body was not kept whole')
    await close()
    await click('replay')
    expect(await text('dialog')).toContain('The body was not kept whole')
    await close()
    await click('compare')
    await until(`document.querySelector('dialog section')`)
    expect(await text('dialog')).not.toContain('nothing of it has changed')
    await close()
    await post(JSON.stringify(QUESTION), { 'x-api-key': 'a-key-that-nobody-has' })
    expect(await text('section[aria-label="client request"]')).toContain('the rest was not kept')
    await click('curl')
    expect(await text('dialog')).toContain('The body was not kept whole')
    await close()
  })

  it('leaves what else there is in sight, however long a name or a list of losses is', async () => {
    await page.show({ width: 1440, height: 900 })
    const odd = Array.from({ length: 200 }, (_, number) => [`odd_${number}`, number])
    await ask('Hello', { model: 'm'.repeat(250), ...Object.fromEntries(odd) })
    expect(await see(`document.querySelectorAll('.losses li').length`)).toBeGreaterThan(200)
    const heights = `[...document.querySelectorAll('.losses')].map((each) => each.clientHeight)`
    expect(await see(`Math.max(...${heights})`)).toBeLessThan(400)
    const wide = `document.querySelector('#list').scrollWidth - document.querySelector('#list').clientWidth`
    expect(await see(wide)).toBe(0)
  })

  it('is no continuation where another model or another dialect was asked', async () => {
    await ask('Hello')
    await ask('Hello', { model: 'pair-1' })
    await click('compare')
    await until(`document.querySelector('dialog section')`)
    expect(await text('dialog')).toContain('The prefix breaks at /model')
    await close()
  })

  it('is shown of the exchange that was picked last, whichever answer comes first', async () => {
    await see(`(() => {
      const whole = window.fetch
      window.fetch = async (path, init) => {
        const reply = await whole(path, init)
        if (path === '/exchange/1') await new Promise((wake) => setTimeout(wake, 300))
        return reply
      }
      document.querySelector('main tr[data-number="1"]').click()
    })()`)
    await pick(2)
    await new Promise((wake) => setTimeout(wake, 600))
    await see(`document.activeElement.blur()`)
    await page.press('c')
    await until(`document.querySelector('#dialog').open`)
    expect(await text('dialog pre')).toContain('Hide')
    await close()
  })

  it('says that five pages are open where a sixth one is', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map(() => place.ask('/feed')))
    const sixth = await browser.open(place.page.href)
    for (let tries = 0; tries < 100; tries += 1) {
      const state = await sixth.evaluate(`document.querySelector('#state').textContent`)
      if (state === 'Five other pages are open; it is asked again.') break
      expect(tries).toBeLessThan(99)
      await new Promise((wake) => setTimeout(wake, 50))
    }
    for (const each of pages) await each.body?.cancel()
    expect(page.problems.filter((each) => !/TrustedHTML/.test(each))).toEqual([])
  })
})
