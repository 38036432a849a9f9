import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * Every property of the suite with cases that nobody has seen before, in as many rounds as fit into the time,
 * but in one at least. The seed of a failure is printed with the command that repeats it.
 *
 *     npm run properties -- --seconds 60
 *     SEED=123 npm run properties
 */

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })
const until = performance.now() + Number(values.seconds) * 1000
const SEEDS = 2 ** 31
const first = Number(process.env['SEED'] ?? Math.floor(Math.random() * SEEDS))
if (!Number.isInteger(first)) throw new Error('SEED: expected a whole number')

const DRAWS = /from '(?:fast-check|\.\/law\.ts)'/
const files = globSync('test/**/*.test.ts').filter(
  (name) => !name.endsWith('.workerd.test.ts') && DRAWS.test(readFileSync(name, 'utf8')),
)

/** On a busy machine everything takes longer, and nothing is wrong with that. */
const ENDLESS = ['--testTimeout', '0', '--hookTimeout', '0']

/** Whether all laws hold for the cases of one seed. */
function holds(seed: number): boolean {
  const args = ['vitest', 'run', '--project', 'node*', '--reporter', 'dot', ...ENDLESS, ...files]
  const env = { ...process.env, VITE_SEED: String(seed) }
  return spawnSync('npx', args, { env, stdio: 'inherit' }).status === 0
}

let seed = first
for (let took = 0; seed === first || performance.now() + took < until; seed += 1) {
  const began = performance.now()
  console.log(`properties: seed ${seed}, ${files.length} files`)
  if (!holds(seed)) {
    console.error(`\nA property does not hold. Again: SEED=${seed} npm run properties`)
    process.exit(1)
  }
  took = performance.now() - began
}
console.log(`properties: all held with the seeds ${first} to ${seed - 1}`)
