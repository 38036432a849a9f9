import { expect, it } from 'vitest'
import { sha256Hex } from '../../src/json/sha256.ts'

it('is what the platform calls SHA-256', async () => {
  for (const text of ['', 'abc', 'x'.repeat(55), 'x'.repeat(56), 'y'.repeat(64), 'é'.repeat(500)]) {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
    const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0'))
    expect(sha256Hex(text)).toBe(hex.join(''))
  }
})
