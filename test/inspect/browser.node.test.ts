import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, openBrowser, type Browser, type Page } from '../web/chromium.ts'
import { records } from '../replay/records.ts'
import { lookingAt } from './looking.ts'
import { openPlace, QUESTION, REPLY, streamed, type Place } from './place.ts'

const AXE = 'node_modules/axe-core/axe.min.js'
const hasAxe = existsSync(AXE)
if (!CHROMIUM)
  console.warn('\n*** SKIPPED: nobody looks at the page, there is no chromium here ***\n')
if (!hasAxe)
  console.warn('\n*** SKIPPED: axe-core is not installed, which says who cannot use the page ***\n')

const HOSTILE = '<img src=x onerror=alert(1)>\u202e<script>alert(2)</script>'
const WORDS = ['Good ', 'morning. ', HOSTILE]

const TURNS = [
  { role: 'user', content: 'Hello' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Let me see', signature: 'abc' },
      { type: 'text', text: 'Yes?' },
    ],
  },
  { role: 'user', content: 'Go on' },
]

const PICTURE = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' }
const PICTURED = [
  { type: 'response.output_item.done', output_index: 0, item: PICTURE },
  { type: 'response.completed', response: { ...REPLY, output: [PICTURE] } },
].map((event) => `data: ${JSON.stringify(event)}\n\n`)

const BROKEN = `event: error\ndata: ${JSON.stringify({
  type: 'error',
  code: 'server_error',
  message: 'overloaded',
  param: null,
})}\n\n`

const said = (at = 0) =>
  at < 1000 ? `${Math.round(at * 10) / 10} ms` : `${(at / 1000).toFixed(2)} s`

const pane = (title: string) => `section[aria-label="${title}"]`

describe.skipIf(!CHROMIUM)('the page in a real browser', () => {
  let place: Place
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    place = await openPlace((body) => {
      if (body.includes('Draw')) return { type: 'text/event-stream', pieces: PICTURED }
      if (body.includes('Broken'))
        return {
          type: 'text/event-stream',
          pieces: [...streamed(WORDS).slice(0, 4), BROKEN],
        }
      if (body.includes('Slowly'))
        return { type: 'text/event-stream', pieces: streamed(WORDS), gapMs: 400 }
      if (body.includes('"stream":true'))
        return { type: 'text/event-stream', pieces: streamed(WORDS), gapMs: 3 }
      if (body.includes('"contents"')) return { status: 503, pieces: ['{}'] }
      if (body.includes('too much'))
        return { status: 429, pieces: [JSON.stringify({ error: { message: HOSTILE } })] }
      return { pieces: [JSON.stringify({ ...REPLY, model: HOSTILE })] }
    })
    browser = await openBrowser(CHROMIUM ?? '')
    page = await browser.open(place.page.href)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await place.close()
  })

  const { see, text, until, pick: open, press: click } = lookingAt(() => page)

  const filtered = async (words: string) => {
    await see(`(() => {
      const filter = document.querySelector('#filter')
      filter.value = '${words}'
      filter.dispatchEvent(new Event('input'))
    })()`)
    return see(
      `[...document.querySelectorAll('#list tbody tr')].map((each) => each.dataset.number).join()`,
    )
  }

  it('says that nothing has passed, and leaves no token behind', async () => {
    await until(`document.querySelector('.empty')`)
    expect(await text('main')).toContain('Nothing has passed yet')
    expect(await see('location.href')).toBe(`${place.page.origin}/`)
    const asked = 'performance.getEntriesByType("resource").map(({ name }) => name).join(" ")'
    expect(await see(asked)).not.toContain(place.token)
  })

  it('shows an exchange from both sides as it happens, with its losses at their places', async () => {
    await place.send({ ...QUESTION, messages: TURNS })
    await open(1)
    expect(await text('main table')).toContain('messages → responses (service)')
    for (const title of ['client request', 'upstream request', 'upstream reply', 'client reply'])
      expect(await text(`${pane(title)} h3`)).toBe(title)
    await until(`document.querySelectorAll('${pane('client request')} mark').length > 2`)
    const marks = await see(
      `[...document.querySelectorAll('mark')].map((each) => each.closest('[data-at]').dataset.at).join(' ')`,
    )
    expect(marks).toContain('/top_k')
    expect(marks).toContain('/messages/1/content/0/signature')
    expect(await text(pane('tokens'))).toContain('64 % of the input cached')
    expect(await text(pane('time'))).toMatch(
      /received.*translated.*connected.*head, 200.*reply.*told/,
    )
  })

  it('trap 40: what a model says is text, whatever it is', async () => {
    await place.send({ ...QUESTION, stream: true })
    await open(2)
    expect(await text(`${pane('client reply')} .said`)).toContain(
      '<img src=x onerror=alert(1)>\\u202e<script>alert(2)</script>',
    )
    await place.send({
      ...QUESTION,
      model: HOSTILE,
      messages: [{ role: 'user', content: HOSTILE }],
    })
    await open(3)
    for (const title of ['client request', 'upstream request', 'upstream reply', 'client reply'])
      await see(
        `document.querySelectorAll('${pane(title)} .bar button').forEach((each) => each.click())`,
      )
    await see(`document.querySelector('#close').click()`)
    expect(await see('document.querySelectorAll("main img, main script, main a").length')).toBe(0)
    expect(page.problems).toEqual([])
  })

  it('lets nothing in that its policy forbids', async () => {
    const violated = `new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective))
      const picture = document.createElement('img')
      picture.src = 'http://evil.test:1/'
      document.body.append(picture)
    })`
    expect(await see(violated)).toBe('img-src')
    const scripted = `(() => {
      const script = document.createElement('script')
      script.append('document.title = "taken"')
      document.body.append(script)
    })()`
    await see(scripted)
    await see(`document.querySelector('body > img').remove()`)
    expect(await see('document.title')).toBe('dragoman')
    expect(await see(`fetch('http://evil.test:1/').then(() => 'sent', () => 'refused')`)).toBe(
      'refused',
    )
  })

  it('repeats a stream in its time', async () => {
    await open(2)
    const back = pane('upstream reply')
    expect(await see(`document.querySelectorAll('${back} tbody tr').length`)).toBe(9)
    await see(`(() => {
      const slider = document.querySelector('${back} input[type=range]')
      slider.value = 4
      slider.dispatchEvent(new Event('input'))
    })()`)
    expect(await text(`${back} .said`)).toBe('Good ')
    expect(await text(`${back} output`)).toMatch(/^event 4 of 9, [\d.]+ ms after the beginning$/)
    await see(`document.querySelector('${back} .time button').click()`)
    await until(`document.querySelector('${back} output').textContent.startsWith('event 9')`)
  })

  it('copies as curl and as a line that the replay takes', async () => {
    await open(2)
    await click('curl')
    const curl = String(await text('dialog pre'))
    expect(curl).toMatch(/^curl 'http:\/\/127\.0\.0\.1:\d+\/v1\/messages'/)
    expect(curl).toContain(`'x-api-key: '"$PROXY_KEY"''`)
    await see(`document.querySelector('#close').click()`)
    await click('replay')
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-replay-'))
    writeFileSync(join(folder, 'one.jsonl'), `${await text('dialog pre')}\n`)
    const found = []
    for await (const record of records(folder, undefined, (fault) => found.push(fault)))
      found.push(record)
    rmSync(folder, { recursive: true })
    expect(found).toMatchObject([{ dialect: 'responses', model: 'm', status: 200 }])
    expect(found[0]).toHaveProperty('sse', expect.stringContaining('response.completed'))
    await see(`document.querySelector('#close').click()`)
  })

  it('explains for another upstream, and compares two turns of a session', async () => {
    const next = [...TURNS, { role: 'assistant', content: 'So?' }, { role: 'user', content: 'Hm' }]
    await place.send({ ...QUESTION, messages: next })
    await open(4)
    await click('explain')
    await until(`document.querySelector('dialog select')`)
    await see(`document.querySelector('dialog form button').click()`)
    await until(`document.querySelector('dialog .tree')`)
    expect(await text('dialog')).toContain('generateContent')
    await see(`document.querySelector('#close').click()`)
    await click('compare')
    await until(`document.querySelector('dialog select')`)
    await see(`(() => {
      const choice = document.querySelector('dialog select')
      choice.value = 1
      choice.dispatchEvent(new Event('change'))
    })()`)
    await until(`document.querySelector('dialog').textContent.includes('the same 3 elements')`)
    expect(await text('dialog')).toMatch(/messages the same 3 elements, and 2 more/)
    await see(`document.querySelector('#close').click()`)
  })

  it('can be used with the keyboard alone', async () => {
    const focused = () => see(`document.activeElement?.id || document.activeElement?.ariaLabel`)
    await see('document.activeElement.blur()')
    await page.press('/')
    expect(await focused()).toBe('filter')
    await page.press('Escape')
    await page.press('Escape')
    expect(await focused()).toMatch(/^exchange \d$/)
    await page.press('k')
    await page.press('k')
    await page.press('k')
    await page.press('k')
    expect(await focused()).toBe('exchange 4')
    await page.press('ArrowDown')
    await page.press('j')
    expect(await focused()).toBe('exchange 2')
    await page.press('Enter')
    await until(`document.querySelector('#title')?.textContent.startsWith('2:')`)
    for (const [key, title] of [
      'client request',
      'upstream request',
      'upstream reply',
      'client reply',
    ].entries()) {
      await page.press(String(key + 1))
      expect(await focused()).toBe(title)
    }
    await page.press('c')
    await until(`document.querySelector('dialog').open`)
    await page.press('Escape')
    await until(`!document.querySelector('dialog').open`)
    await page.press('?')
    await until(`document.querySelector('dialog').textContent.includes('the next or the previous')`)
    await page.press('Escape')
    expect(
      page.problems.filter((each) => !/Content Security Policy|TrustedScript/.test(each)),
    ).toEqual([])
  })

  it('filters by status, dialect and loss', async () => {
    await place.send({ ...QUESTION, messages: [{ role: 'user', content: 'too much' }] })
    await until(`document.querySelector('main tr[data-number="5"]')?.textContent.includes('✗ 429')`)
    expect(await filtered('status:4xx')).toBe('5')
    expect(await filtered('loss:seal')).toBe('4,1')
    expect(await filtered('dialect:chat')).toBe('')
    expect(await filtered('')).toBe('5,4,3,2,1')
  })

  const firstTime = (title: string) =>
    text(`${pane(title)} table tbody tr:first-child td:nth-child(2)`)

  it('tells the times of both streams from the same beginning, that of the exchange', async () => {
    await open(2)
    const { calls, told } = await place.exchange(2)
    expect(await firstTime('upstream reply')).toBe(said(calls[0]?.reply.marks?.[0]?.[0]))
    expect(await firstTime('client reply')).toBe(said(told.body.marks?.[0]?.[0]))
  })

  it('forgets the filter with Escape, and shows the whole list again', async () => {
    await see('document.activeElement.blur()')
    await page.press('/')
    expect(await filtered('status:4xx')).toBe('5')
    await page.press('Escape')
    expect(await see(`document.querySelector('#filter').value`)).toBe('')
    expect(await see(`document.querySelectorAll('main tr[data-number]').length`)).toBe(5)
    expect(await see(`document.activeElement.id`)).not.toBe('filter')
  })

  it('is as wide as a telephone without a second scroll bar', async () => {
    for (const number of [1, 2, 5]) {
      await page.show({ width: 320, height: 800 })
      await open(number)
      expect(await see('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    }
  })

  it.skipIf(!hasAxe)('has nothing that axe-core finds fault with', async () => {
    await see(readFileSync(AXE, 'utf8'))
    const faults = () =>
      see(`axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations, passes }) => [passes.length > 15 ? [] : 'looked at little'].concat(
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | '))).flat())`)
    const looks: [number, boolean][] = [
      [1, false],
      [1, true],
      [2, true],
    ]
    for (const [number, dark] of looks) {
      await page.show({ width: 1300, height: 900, dark })
      await open(number)
      await until(`document.querySelector('mark')`)
      // A stream in the middle of which somebody looks at it.
      await see(`for (const each of document.querySelectorAll('input[type=range]')) {
        each.value = 4
        each.dispatchEvent(new Event('input'))
      }`)
      expect(await faults(), `${number} ${dark}`).toEqual([])
    }
    await click('explain')
    await until(`document.querySelector('dialog select')`)
    expect(await faults()).toEqual([])
    await see(`document.querySelector('#close').click()`)
  })

  it('marks the event of a stream that could not be told, and the place in it', async () => {
    await place.send({ ...QUESTION, stream: true, messages: [{ role: 'user', content: 'Draw' }] })
    await filtered('loss:reply.media')
    await until(`document.querySelector('#list tbody tr')`)
    await open(Number(await see(`document.querySelector('#list tbody tr').dataset.number`)))
    const back = pane('upstream reply')
    await until(`document.querySelector('${back} td.tree mark')`)
    expect(await text(`${back} tr[data-at="#1"] mark`)).toBe('response.output_item.done')
    expect(await text(`${back} td.tree mark`)).toBe('item:')
    expect(await text(`${pane('losses')} ul`)).toContain('event 1, /item of the reply')
    await filtered('')
  })

  it('claims nothing of an exchange that is still open', async () => {
    const messages = [{ role: 'user', content: 'Slowly' }]
    const going = place.send({ ...QUESTION, stream: true, messages })
    await page.show({ width: 320, height: 800 })
    await until(
      `document.querySelector('#list tbody tr')?.textContent.includes('/v1/messages → responses')`,
    )
    await open(Number(await see(`document.querySelector('#list tbody tr').dataset.number`)))
    await until(`document.querySelector('${pane('time')}').textContent.includes('head, 200')`)
    expect(await see('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
    await until(`document.querySelector('${pane('losses')}').textContent.includes('so far')`)
    expect(await text(pane('losses'))).toContain('sampling.topK')
    expect(await text(pane('tokens'))).toBe('Tokens are counted at the end')
    await going
    await until(`document.querySelector('${pane('losses')}').textContent.includes('⚠ 1 loss')`)
    await until(`!document.querySelector('main table').textContent.includes('…')`)
  })

  it('shows the conversation as people read it, and its first words in the list', async () => {
    await page.show({ width: 1440, height: 900 })
    await filtered('')
    await open(1)
    expect(await text('main tr[data-number="1"] .said-last')).toBe('Go on')
    await click('conversation')
    await until(`document.querySelectorAll('.turn').length === 4`)
    expect(await text('.talk')).toMatch(
      /user.*Hello.*assistant.*thoughts.*Yes\?.*Go on.*reply.*Good morning/s,
    )
    await open(2)
    await until(`document.querySelector('.turn.reply')?.textContent.includes('morning')`)
    await click('conversation')
    expect(page.problems.filter((each) => !/Content Security|TrustedScript/.test(each))).toEqual([])
  })

  it('has both bodies in sight without scrolling', async () => {
    await open(1)
    const ends = await see(
      `[...document.querySelectorAll('#detail > .panes .body')].map((each) => Math.round(each.getBoundingClientRect().bottom)).join()`,
    )
    for (const end of String(ends).split(',')) expect(Number(end)).toBeLessThanOrEqual(900)
  })

  it('says of each loss whether it matters, in the words of the caller', async () => {
    await open(1)
    await until(
      `[...document.querySelectorAll('${pane('losses')} strong')].some((each) => each.textContent === 'top_k')`,
    )
    expect(await text(pane('losses'))).toContain('changes the answer')
  })

  it('searches in bodies', async () => {
    await see(`(() => {
      const filter = document.querySelector('#filter')
      filter.value = 'body:good'
      filter.dispatchEvent(new Event('input'))
    })()`)
    await until(`!document.querySelector('main tr[data-number="5"]')`)
    expect(await see(`Boolean(document.querySelector('main tr[data-number="2"]'))`)).toBe(true)
    await filtered('')
  })

  it('puts the rows of a session together, and sums up what is shown', async () => {
    // A session is looked for where there is a choice of upstreams.
    const asked = { ...QUESTION, model: 'pair-2' }
    const session = { 'x-claude-code-session-id': 'one-session' }
    const before = await see(`document.querySelectorAll('main tr[data-number]').length`)
    await place.send(asked, session)
    await place.send(QUESTION)
    await place.send(asked, session)
    await until(
      `document.querySelectorAll('main tr[data-number]').length === ${Number(before) + 3}`,
    )
    await see(`document.querySelector('#group').click()`)
    const order = `[...document.querySelectorAll('main tr[data-number]')].slice(0, 2).map((each) => each.dataset.number).join()`
    const last = Number(before) + 3
    expect(await see(order)).toBe(`${last},${last - 2}`)
    expect(await text('#state')).toMatch(/\d tokens/)
    await see(`document.querySelector('#group').click()`)
  })

  it('sends a request again, to another upstream', async () => {
    await open(1)
    const before = Number(await see(`document.querySelectorAll('main tr[data-number]').length`))
    await click('again')
    await until(`document.querySelector('#dialog-title').textContent === 'again'`)
    await see(`(() => {
      document.querySelector('dialog select').value = 'other'
      document.querySelector('dialog form button').click()
    })()`)
    await until(`document.querySelector('dialog [role=status]').textContent.includes('status')`)
    await see(`document.querySelector('#close').click()`)
    await until(`document.querySelectorAll('main tr[data-number]').length === ${before + 1}`)
    expect(await text('#list tbody tr')).toContain('messages → generate-content (other)')
  })

  it('saves what is shown as records and as HAR', async () => {
    await filtered('status:200')
    await see(`(() => {
      window.saved = []
      URL.createObjectURL = (blob) => (blob.text().then((text) => saved.push(text)), 'blob:x')
      HTMLAnchorElement.prototype.click = () => undefined
    })()`)
    for (const [index, name] of ['records', 'HAR'].entries()) {
      await see(`document.querySelector('#save').click()`)
      await see(
        `[...document.querySelectorAll('dialog button')].find((each) => each.textContent.startsWith('${name}')).click()`,
      )
      await until(`saved.length === ${index + 1}`)
    }
    const [records, har] = JSON.parse(String(await see('JSON.stringify(saved)'))) as string[]
    const [first = '{}'] = (records ?? '').split('\n')
    expect(JSON.parse(first)).toMatchObject({
      dialect: 'responses',
      caller: { dialect: 'messages' },
    })
    expect(JSON.parse(har ?? '{}').log.entries.length).toBeGreaterThan(3)
    await filtered('')
  })

  it('shows where a stream broke', async () => {
    const before = Number(await see(`document.querySelectorAll('main tr[data-number]').length`))
    await place.send({ ...QUESTION, stream: true, messages: [{ role: 'user', content: 'Broken' }] })
    await until(`document.querySelectorAll('main tr[data-number]').length === ${before + 1}`)
    await open(Number(await see(`document.querySelector('#list tbody tr').dataset.number`)))
    await until(`document.querySelector('${pane('upstream reply')} tr.broke')`)
    expect(await text(`${pane('upstream reply')} tr.broke`)).toContain('broke here')
    await filtered('')
  })

  it('names whom each attempt asked', async () => {
    await place.send({ ...QUESTION, model: 'pair-1' })
    await filtered('model:pair-1')
    await until(`document.querySelector('#list tbody tr')`)
    await open(Number(await see(`document.querySelector('#list tbody tr').dataset.number`)))
    expect(await text(pane('time'))).toMatch(
      /attempt 1 \(other\): head, 503.*attempt 2 \(service\): head, 200/,
    )
    expect(await text('#detail > details summary')).toBe('attempt 1 (other): 503')
    await filtered('')
  })

  it('says why the losses of a body that was not kept whole have no places', async () => {
    const content = 'x'.repeat(1_100_000)
    await place.send({ ...QUESTION, model: 'large-1', messages: [{ role: 'user', content }] })
    await filtered('model:large-1')
    await until(`document.querySelector('#list tbody tr')?.textContent.includes('⚠')`)
    await open(Number(await see(`document.querySelector('#list tbody tr').dataset.number`)))
    expect(await text(pane('losses'))).toContain('request was not kept whole')
    await filtered('')
    await open(1)
    expect(await text(pane('losses'))).not.toContain('was not kept whole')
  })

  it('tells nothing without its token, and takes it where the page is open already', async () => {
    const stranger = await browser.open(`${place.page.origin}/#wrong`)
    const told = async (words: string) => {
      for (let count = 0; count < 200; count += 1) {
        // While the page is loaded again there is nothing to be asked.
        const text = await stranger.evaluate('document.body?.textContent').catch(() => '')
        if (String(text).includes(words)) return
        await new Promise((wake) => setTimeout(wake, 25))
      }
      throw new Error(`it never said ${words}`)
    }
    await told('needs its token')
    expect(await stranger.evaluate('document.querySelector("table")')).toBeNull()
    // As somebody pastes the address that a proxy printed which was started again on the same port.
    await stranger.evaluate(`void (location.hash = '${place.page.hash}')`)
    await told('messages → responses (service)')
    expect(await stranger.evaluate('location.href')).toBe(`${place.page.origin}/`)
  })
})
