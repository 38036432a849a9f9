import { hasRedis, replicas } from '../stores/replicas.ts'
import { expect } from './soak.ts'

/** Two proxies on one Redis under load; one is killed in the middle. */
export async function killed(): Promise<void> {
  if (!hasRedis) return console.log('SKIPPED there is no redis-server here: no proxy is killed')
  const load = { conversations: 200, turns: 10, atOnce: 24 }
  const { replies, repeated, lost, wrongOwners, seconds } = await replicas(load)
  const all = load.conversations * load.turns
  const rate = (replies / seconds).toFixed(0)
  expect(replies === all, `${replies} turns over two proxies, ${rate} a second; one was killed`)
  console.log(`     ${repeated} were underway there, and were repeated`)
  expect(lost.length === 0, `${lost.length} of what is kept lost ${first(lost)}`)
  expect(wrongOwners.length === 0, `${wrongOwners.length} wrong owners ${first(wrongOwners)}`)
}

const first = (list: readonly string[]): string => list.slice(0, 3).join('\n     ')
