// Which rows the filter lets through.

import { asked } from './proxy.js'

/** The numbers of the exchanges in whose bodies a text stands, by that text. */
const found = new Map()
const SEARCHED = /^body:(.{2,})$/

/** Asks the proxy for what is searched in bodies; resolves once it is known. */
export async function searchBodies(text) {
  found.clear()
  for (const word of wordsOf(text)) {
    const [, sought] = SEARCHED.exec(word) ?? []
    if (sought) found.set(sought, new Set(await asked('/search', { text: sought })))
  }
}

export const isSearch = (text) => wordsOf(text).some((word) => SEARCHED.test(word))

const wordsOf = (text) => text.trim().toLowerCase().split(/\s+/).filter(Boolean)

export const matches = (row, text) => wordsOf(text).every((word) => fits(row, word))

function fits(row, word) {
  const [, sought] = SEARCHED.exec(word) ?? []
  if (sought) return found.get(sought)?.has(row.number) ?? false
  const [, name, value] =
    /^(status|dialect|loss|model|upstream|session|path):(.*)$/.exec(word) ?? []
  if (!name) return JSON.stringify(row).toLowerCase().includes(word)
  if (name === 'status')
    return new RegExp(`^${value.replace(/[^\dx]/g, '').replaceAll('x', '\\d')}`).test(row.status)
  const told = {
    dialect: [row.dialect, row.upstreamDialect],
    loss: row.losses,
    model: [row.model, row.sentModel],
    upstream: [row.upstream, row.member],
    session: [row.session],
    path: [row.url],
  }[name]
  return JSON.stringify(told).toLowerCase().includes(value)
}
