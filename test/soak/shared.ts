/** What both processes of the soak have to agree on. */

export { DIALECTS } from '../../adapters/dialect.ts'

/** As many exchanges as the proxy takes at once. */
export const STREAMS = 2000

/** As many bytes of requests. */
export const IN_FLIGHT_BYTES = 64 * 1024 * 1024

/** What a large reply says. */
export const LARGE_BYTES = 13 * 1024 * 1024 - ((13 * 1024 * 1024) % 3)

export interface Sample {
  seconds: number
  heap: number
  rss: number
  /** What keeps the process alive: sockets, timers, servers. */
  resources: number
  /** By how much the loop was late since the last sample. */
  lagP99Ms: number
  lagMostMs: number
  /** The most resident memory of its life. */
  peak: number
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)

/** Megabytes per second by least squares, without the first third: until then it warms up. */
export function measureSlope(samples: readonly Sample[]): number {
  const late = samples.slice(Math.floor(samples.length / 3))
  const time = mean(late.map(({ seconds }) => seconds))
  const heap = mean(late.map((sample) => sample.heap))
  const both = late.map((sample) => (sample.seconds - time) * (sample.heap - heap))
  const square = late.map((sample) => (sample.seconds - time) ** 2)
  return mean(both) / (mean(square) || 1)
}
