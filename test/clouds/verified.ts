import { createHash, createHmac } from 'node:crypto'

const sha = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

const hmac = (key: string | Buffer, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest()

interface Signed {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/** As the documents of the service say it, from what arrives. */
export function verified({ method, url, headers, body }: Signed, secret: string): boolean {
  const [, scope = '', names = '', given = ''] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
      headers['authorization'] ?? '',
    ) ?? []
  const [day = '', region = '', service = ''] = scope.split('/')
  if (sha(body) !== headers['x-amz-content-sha256']) return false
  const [, path = '', query = ''] = /^https?:\/\/[^/]+([^?]*)\??(.*)$/.exec(url) ?? []
  const twice = path.replaceAll(/[^A-Za-z0-9\-_.~/]/g, percent)
  const pairs = query === '' ? [] : query.split('&').map(canonicalPair)
  const canonical = [
    method,
    twice,
    // A name ends before any other sign.
    pairs
      .map((pair) => pair.replace('=', ' '))
      .toSorted()
      .map((pair) => pair.replace(' ', '='))
      .join('&'),
    ...names
      .split(';')
      .map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), service), 'aws4_request')
  const text = `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${scope}\n${sha(canonical)}`
  return hmac(key, text).toString('hex') === given && names.includes('host')
}

const percent = (sign: string): string => {
  const bytes = [...Buffer.from(sign, 'utf8')]
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
}

const canonicalPair = (pair: string): string =>
  pair
    .split('=')
    .map((half) => decodeURIComponent(half).replaceAll(/[^A-Za-z0-9\-_.~]/gu, percent))
    .join('=')
