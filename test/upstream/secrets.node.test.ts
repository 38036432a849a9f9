import { expect, it } from 'vitest'
import { createSecrets } from '../../src/upstream/secrets.ts'

it('a secret is looked for in a time that grows as the text does', () => {
  const secrets = createSecrets('sk-Ab+c/d=e&f 0123456789')
  const took = (text: string) => {
    const start = process.cpuUsage().user
    secrets.hide(text)
    return process.cpuUsage().user - start
  }
  for (const row of ['\\', 's', 's\\', '%25', '&amp;', '&#0', 'sk-'])
    expect(took(row.repeat(60_000))).toBeLessThan(2_000_000)
})

it.each([
  ['of all kinds of signs', Array.from({ length: 1000 }, (_, at) => `${at}+/=`).join('')],
  ['of one sign', `${'k'.repeat(7999)}!`],
  ['that repeats itself', 'abcdefgh'.repeat(1000)],
])('a secret of thousands of characters %s is looked for in such a time too', (_, secret) => {
  const { hide, forms } = createSecrets(secret)
  const parts = [secret.slice(0, -1), secret.slice(0, 255), `${secret.slice(0, 4000)} `]
  for (const part of parts) {
    const text = part.repeat(Math.ceil(1_000_000 / part.length))
    const start = process.cpuUsage().user
    hide(text)
    forms?.hide(text)
    expect(process.cpuUsage().user - start).toBeLessThan(4_000_000)
  }
})
