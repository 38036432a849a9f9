/**
 * Leaves in package.json and in its lock what `npm run build` needs, a tenth of the whole: for images, whose layers
 * would keep the browsers' and workers' tools of the tests. Plain JavaScript, since it runs before `npm ci`.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const NEEDED = new Set([
  '@cloudflare/workers-types',
  '@hono/node-server',
  '@redis/client',
  '@types/node',
  'esbuild',
  'eventsource-parser',
  'hono',
  'lru-cache',
  'typescript',
  'undici',
  'ws',
  'zod',
])

for (const [file, rootOf] of [
  ['package.json', (json) => json],
  ['package-lock.json', (json) => json.packages['']],
]) {
  const json = JSON.parse(readFileSync(file, 'utf8'))
  const root = rootOf(json)
  root.devDependencies = Object.fromEntries(
    Object.entries(root.devDependencies).filter(([name]) => NEEDED.has(name)),
  )
  writeFileSync(file, JSON.stringify(json, undefined, 2))
}
