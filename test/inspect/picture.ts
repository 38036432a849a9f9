import { writeFileSync } from 'node:fs'
import { CHROMIUM, openBrowser } from '../web/chromium.ts'
import { openPlace, REPLY, streamed } from './place.ts'

/** `npm run picture`: the page with a few exchanges, as the manual shows it. */

const FILE = 'docs/page.webp'
const MOST_BYTES = 150_000
const SIZE = { width: 1440, height: 900 }

const TOOL = {
  name: 'read_file',
  description: 'Reads a file of the project.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const TURNS = [
  { role: 'user', content: 'Why does the build fail?' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'I had better look at the file.', signature: 'EqQBCkgIBBAB' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'build.ts' } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: "import { missing } from './gone.ts'",
        cache_control: { type: 'ephemeral' },
      },
    ],
  },
]
const ASKED = {
  model: 'gpt-5',
  max_tokens: 4000,
  stream: true,
  top_k: 40,
  thinking: { type: 'enabled', budget_tokens: 2000 },
  system: 'You are a careful engineer.',
  tools: [TOOL],
}
const WORDS = 'The import of `missing` has nothing to import: gone.ts is not there any more.'.split(
  ' ',
)

if (!CHROMIUM) throw new Error('there is no chromium here')
const place = await openPlace((body) => {
  if (body.includes('too soon'))
    return {
      status: 429,
      pieces: [
        JSON.stringify({ error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } }),
      ],
    }
  if (body.includes('"stream":true'))
    return {
      type: 'text/event-stream',
      pieces: streamed(WORDS.map((word) => `${word} `)),
      gapMs: 25,
    }
  return { pieces: [JSON.stringify(REPLY)] }
})
const browser = await openBrowser(CHROMIUM)
const page = await browser.open(place.page.href)
await page.show(SIZE)
await place.send({ ...ASKED, messages: TURNS.slice(0, 1) })
await place.send({ ...ASKED, stream: false, messages: [{ role: 'user', content: 'too soon' }] })
await place.send(
  { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], generationConfig: { topK: 40 } },
  {},
  '/v1beta/models/gpt-5-mini:generateContent',
)
await place.send({ ...ASKED, messages: TURNS })
const ready = `new Promise((done) => {
  const look = () => {
    const row = document.querySelector('main tr[data-number="4"]')
    if (row && !document.querySelector('#title')) row.click()
    return document.querySelectorAll('mark').length > 4 ? done() : setTimeout(look, 50)
  }
  look()
})`
await page.evaluate(ready)
const picture = await page.picture('webp')
await browser.close()
await place.close()
if (picture.length > MOST_BYTES) throw new Error(`${picture.length} bytes are too many`)
writeFileSync(FILE, picture)
console.log(`${FILE}: ${picture.length} bytes`)
