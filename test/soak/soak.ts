import { Agent } from 'node:http'
import { voices, type Voice } from '../faults/voices.ts'
import type { Asking } from './caller.ts'
import type { Sample } from './shared.ts'
import { modelOf, type Upstream } from './upstream.ts'

/** What every part of the soak works with. */
export interface Soak {
  port: number
  upstream: Upstream
  /** How the proxy feels; what it counts as peaks counts from the last time. */
  sample(): Promise<Sample>
}

let failures = 0

export function expect(holds: boolean, text: string): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${text}`)
  if (!holds) failures += 1
}

export const hasFailed = (): boolean => failures > 0

export const voiceAt = (index: number): Voice => voices[index % voices.length] as Voice

/** A call that all goes well with, over a connection of its own. */
export const plain = ({ port }: Soak): Asking => ({
  port,
  agent: new Agent({ keepAlive: false }),
  caller: voiceAt(0),
  model: modelOf(voiceAt(2), 'whole', 1),
  stream: false,
})

/** The value that `share` of the others do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
