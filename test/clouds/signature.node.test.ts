import { describe, expect, it } from 'vitest'
import { sign, type Signable } from '../../src/keys/signature.ts'
import { encoded } from '../../src/json/bytes.ts'
import type { SignatureKey } from '../../src/config/settings.ts'
import { verified } from './verified.ts'

const KEY: SignatureKey = {
  kind: 'signature',
  region: 'us-east-1',
  service: 'bedrock',
  id: 'AKIDEXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  secrets: [],
}
const DAY = Date.UTC(2026, 10, 28)
const HOST = 'https://bedrock-runtime.us-east-1.amazonaws.com'

describe('the signature of Amazon', () => {
  it('is that of other implementations', async () => {
    const made = await sign(
      {
        method: 'POST',
        url: `${HOST}/model/anthropic.claude-opus-4-8-v1%3A0/invoke`,
        headers: { 'content-type': 'application/json', 'user-agent': 'x', accept: '*/*' },
        body: encoded('{"anthropic_version":"bedrock-2023-05-31","max_tokens":1,"messages":[]}'),
      },
      KEY,
      DAY,
    )
    expect(made).toEqual({
      'x-amz-date': '20261128T000000Z',
      'x-amz-content-sha256': '0baa54f32ef9158f72a3af73829874cdd1082b6c0a6dfec9a16bbe47ddf460d9',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261128/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=fe4d4d1fcfc56e6ad869e9a5760e0fe9db831f1f8d56bdbe642905b76e0852f4',
    })
  })

  it('holds before a verifier that shares nothing with it, for 2,000 requests', async () => {
    const random = randomFrom(20_261_128)
    for (let count = 0; count < 2000; count += 1) {
      const request = randomRequest(random)
      const key = {
        ...KEY,
        secret: random.text('abcXYZ019+/=', 40),
        ...(random.below(2) === 1 && { session: random.text('abcXYZ019+/=', 60) }),
      }
      const made = await sign(request, key, DAY + random.below(1e9))
      const headers = { ...request.headers, ...made, host: new URL(request.url).host }
      expect(verified({ ...request, headers }, key.secret), request.url).toBe(true)
      const other = new TextEncoder().encode(`${new TextDecoder().decode(request.body)} `)
      expect(verified({ ...request, headers, body: other }, key.secret)).toBe(false)
      if ('session' in key) expect(made['authorization']).toContain('x-amz-security-token')
    }
  })

  it('is of the bytes that go, however many pieces they are in', async () => {
    const text = `{"a":"é \u2028 ${'x'.repeat(100_000)}"}`
    const whole = encoded(text)
    const pieces = [whole.subarray(0, 7), whole.subarray(7, 50_000), whole.subarray(50_000)]
    const request = { method: 'POST', url: `${HOST}/x`, headers: {}, body: whole }
    expect(await sign({ ...request, body: pieces }, KEY, DAY)).toEqual(
      await sign(request, KEY, DAY),
    )
  })
})

interface Random {
  below(most: number): number
  text(letters: string, length: number): string
}

function randomFrom(seed: number): Random {
  let state = seed
  const below = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  const text = (letters: string, length: number) =>
    Array.from({ length }, () => letters[below(letters.length)]).join('')
  return { below, text }
}

type Whole = Signable & { body: Uint8Array<ArrayBuffer> }

function randomRequest(random: Random): Whole {
  const part = () =>
    encodeURIComponent(random.text("aZ09-_.~:;@$&+,='()*! é%/", 1 + random.below(12)))
  const path = Array.from({ length: 1 + random.below(4) }, () => `m${part()}`).join('/')
  const names = Array.from({ length: random.below(4) }, () => `${part()}=${part()}`)
  return {
    method: random.below(4) === 0 ? 'GET' : 'POST',
    url: `${HOST}/${path}${names.length > 0 ? `?${names.join('&')}` : ''}`,
    headers: {
      accept: 'x',
      ...(random.below(3) > 0 && { 'content-type': random.text('ab/; =', 12) }),
    },
    body: new TextEncoder().encode(random.text('{}":,é\u2028 \n', random.below(80))),
  }
}
