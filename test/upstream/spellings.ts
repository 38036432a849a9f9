/** With every sign that is spelled otherwise somewhere. */
export const ODD = 'sk-Ab+c/d=e&f"g\'h 0123456789'

const lowerCased = (text: string) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())
const base64 = (text: string) => Buffer.from(text).toString('base64')
const inPage = (text: string) =>
  text.replace(/[&<>"']/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`)
const escapedSlashes = (text: string) => text.replaceAll('/', '\\/')

/** How a key may come back. */
export const SPELLINGS: readonly [string, (key: string) => string][] = [
  ['plain', (key) => key],
  ['percent', encodeURIComponent],
  ['percent, lower case', (key) => lowerCased(encodeURIComponent(key))],
  ['percent twice', (key) => encodeURIComponent(encodeURIComponent(key))],
  ['percent twice, lower case', (key) => lowerCased(encodeURIComponent(encodeURIComponent(key)))],
  ['form', (key) => new URLSearchParams([['', key]]).toString().slice(1)],
  ['base64', base64],
  ['base64 of a user', (key) => base64(`x:${key}`)],
  ['base64 of another user', (key) => base64(`api:${key}`)],
  ['base64 for addresses', (key) => Buffer.from(`a:${key}`).toString('base64url')],
  ['page', inPage],
  ['page, by names', (key) => key.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ['JSON', (key) => JSON.stringify(key)],
  ['JSON with slashes escaped', (key) => escapedSlashes(JSON.stringify(key))],
  ['JSON in JSON', (key) => JSON.stringify(JSON.stringify(key))],
  [
    'JSON in JSON with slashes escaped',
    (key) => escapedSlashes(JSON.stringify(escapedSlashes(JSON.stringify(key)))),
  ],
  [
    'JSON, every character escaped',
    (key) =>
      key.replace(/[^]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
]
