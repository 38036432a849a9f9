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

/** Mebibytes of room for young objects after many that survived for a while. */
function grownRoom(...options: string[]): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { setImmediate as turn } from 'node:timers/promises'
    import { tuneEngine } from ${JSON.stringify(ENGINE)}
    tuneEngine()
    const kept = []
    for (let round = 0; round < 1500; round += 1) {
      kept[round % 100] = Array.from({ length: 2000 }, (_, index) => ({ index, own: [round] }))
      if (round % 10 === 0) await turn()
    }
    const room = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    console.log(room.space_size / 2 ** 20)`
  const args = [...options, '--input-type=module', '-e', script]
  return Number(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout)
}

it('holds the room for young objects, unless the command line sets it', () => {
  expect(grownRoom()).toBeLessThanOrEqual(64)
  expect(grownRoom('--max-semi-space-size=64')).toBe(128)
})
