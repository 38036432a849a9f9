import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withLanes } from './processes.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-lanes-'))
const command = join(folder, 'command.mjs')
const begun = join(folder, 'begun')
writeFileSync(
  command,
  `import { writeFileSync } from 'node:fs'
   if (process.argv.includes('--refuse')) process.exit(1)
   writeFileSync(${JSON.stringify(begun)}, String(process.pid))
   console.log('http://127.0.0.1:1')
   setInterval(() => undefined, 1000)`,
)
afterAll(() => rmSync(folder, { recursive: true }))

const notReached = () => Promise.reject(new Error('not reached'))

test('a pair whose second process refuses to start leaves none behind', async () => {
  const making = { upstreamPort: 1, command }
  const pair = withLanes([making, { ...making, args: ['--refuse'] }], notReached)
  await expect(pair).rejects.toThrow('ended with 1')
  expect(() => process.kill(Number(readFileSync(begun, 'utf8')), 0)).toThrow('ESRCH')
})
