import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../adapters/dialect.ts'
import { translator } from '../../src/named-translator.ts'
import { kits } from '../dialects/index.ts'
import { read, send } from './help.ts'

const others = DIALECTS.filter((dialect) => dialect !== 'generate-content')
const PICTURE = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
const computerUse = {
  environment: 'ENVIRONMENT_BROWSER',
  excludedPredefinedFunctions: ['navigate', 'search'],
}
const turns = (name: string, args: object) => [
  { role: 'user', parts: [{ text: 'Look it up.' }, PICTURE] },
  { role: 'model', parts: [{ functionCall: { name, args } }] },
  {
    role: 'user',
    parts: [
      { functionResponse: { name, response: { url: 'https://a.example' }, parts: [PICTURE] } },
    ],
  },
]
const CLICK = { x: 500, y: 20, intent: 'Open it.' }
const asked = (settings: object = computerUse, contents = turns('click', CLICK)) => ({
  contents,
  tools: [{ functionDeclarations: [{ name: 'ask' }] }, { computerUse: settings }],
})
const speaker = (to: (typeof DIALECTS)[number], model = 'm') =>
  translator({ from: 'generate-content', to, model })

describe('the functions that the service has for a screen', () => {
  it.each(others)('are functions, with their calls and screenshots, to %s', (to) => {
    const { text, losses } = speaker(to).request(asked())
    for (const name of ['click', 'go_back', 'hotkey', 'ask']) expect(text).toContain(`"${name}"`)
    expect(text).not.toContain('"navigate"')
    expect(text).not.toContain('"click_at"')
    expect(text).toMatch(/"intent\\?":\\?"Open it/)
    expect(text.split('iVBORw0KGgo=')).toHaveLength(3)
    expect(losses.filter(({ path }) => path.startsWith('tools') && !/strict/.test(path))).toEqual(
      [],
    )
  })

  it.each(others)('are called by their own names over %s', (to) => {
    const one = speaker(to)
    one.request(asked())
    const { text } = one.reply(kits[to].say.call('click', JSON.stringify(CLICK)))
    expect(JSON.parse(text)).toMatchObject({
      candidates: [{ content: { parts: [{ functionCall: { name: 'click', args: CLICK } }] } }],
    })
  })

  it.each(others)('are the older ones for a caller of an older model to %s', (to) => {
    const old = speaker(to, 'gemini-2.5-computer-use-preview-10-2025')
    const { text } = old.request(asked({ environment: 'ENVIRONMENT_BROWSER' }))
    expect(text).toContain('"type_text_at"')
    expect(text).not.toContain('"hotkey"')
  })

  it('say which safety is not kept to elsewhere', () => {
    const settings = { enablePromptInjectionDetection: true, excludedPredefinedFunctions: [] }
    const { losses } = speaker('messages').request(asked(settings))
    expect(losses.map(({ path }) => path)).toContain('tools.click.enablePromptInjectionDetection')
  })

  it('stay the settings with which they came for their own service', () => {
    const { body } = send(read(asked()))
    expect(body).toMatchObject(asked())
  })
})
