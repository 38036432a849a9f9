import { describe, expect, it } from 'vitest'
import { brokenAt, promptOf } from '../replay/chains.ts'
import { DIALECTS, lossesOf, sent } from '../pitfalls/translate.ts'

const others = DIALECTS.filter((dialect) => dialect !== 'responses')

const said = (role: string, text: string) => ({ type: 'message', role, content: text })
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'found' }

/** Agents put other items, also words of the user, before the output of a call. */
describe.each(others)('an output that stands apart from its call, over %s', (to) => {
  const ask = (...input: object[]) =>
    sent(['responses', to], { input: [said('user', 'hi'), ...input] })

  it.each(['user', 'developer'])('goes directly behind it, and words of the %s follow', (role) => {
    const request = ask(call, said(role, 'wait'), output, said('user', 'go'))
    const text = JSON.stringify(request.body)
    expect(text).not.toContain('interrupted')
    expect(text.indexOf('found')).toBeLessThan(text.indexOf('wait'))
    expect(lossesOf(request).join()).not.toContain('defaulted turns')
  })

  it('changes nothing of what the model has gone on from', () => {
    const waiting = [call, said('user', 'wait')]
    const earlier = ask(...waiting)
    const later = ask(...waiting, said('assistant', 'I wait.'), output, said('user', 'go'))
    expect(brokenAt(promptOf(earlier.body), promptOf(later.body))).toBeUndefined()
    expect(JSON.stringify(later.body)).toMatch(/\[result of [^\]]+\]\\nfound/)
    expect(lossesOf(later).filter((loss) => loss.startsWith('approximated'))).toHaveLength(1)
  })
})
