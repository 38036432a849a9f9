import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const MAP = readFileSync('docs/map.md', 'utf8')
const SOURCE = /\b(?:src|adapters)\/[\w<>./-]*[\w/]/g

it('the map names only what is there', () => {
  const named = [...MAP.matchAll(SOURCE)].map(([path]) => path.replace(/<\w+>/, 'messages'))
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((path) => !existsSync(path))).toEqual([])
})

it('the map names every room', () => {
  const rooms = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}/`)
  const [, said = ''] = MAP.split('## The rooms')
  expect(rooms.filter((room) => !said.includes(`\`${room}\``))).toEqual([])
})
