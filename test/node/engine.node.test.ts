import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ENGINE = fileURLToPath(new URL('../../src/node/process/engine.ts', import.meta.url))

it('knows every option that it is given, or would say so', () => {
  const script = `import { tuneEngine } from ${JSON.stringify(ENGINE)}; tuneEngine(); console.log('done')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect([stdout, stderr]).toEqual(['done\n', ''])
})
