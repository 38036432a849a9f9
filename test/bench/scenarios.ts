import { DELTAS, type Manner, PACED_DELTAS, type Prompt } from './shared.ts'

export interface Short {
  lanes: string
  rounds: number
  seconds: number
}

/** A kind of traffic, the same for all lanes. */
export interface Scenario {
  name: string
  title: string
  prompt: Prompt
  manner: Manner
  connections: number
  /** How long a slice of it has to be to say something. */
  seconds: number
  /** Deltas per request; 1 where requests are counted. */
  events: number
  /** A small request every so often beside the load, and how often. */
  dripMs?: number
  /** How a process is made warm, if not with the same. */
  warming?: Pick<Scenario, 'manner' | 'connections' | 'seconds'>
  /** What of it is part of the short run, and of the whole one if that is not everything. */
  quick?: Short
  full?: Short
}

const requests = (
  name: string,
  title: string,
  prompt: Prompt,
  more: Pick<Scenario, 'connections'> & Partial<Scenario>,
): Scenario => ({ name, title, prompt, manner: 'json', seconds: 0.5, events: 1, ...more })

const streams = (
  name: string,
  title: string,
  manner: Manner,
  more: Pick<Scenario, 'connections'> & Partial<Scenario>,
): Scenario => ({ name, title, prompt: 'small', manner, seconds: 0.5, events: DELTAS, ...more })

const SMALL = 'small JSON (1 KB each way)'
const AGENT = 'agent history (100 KB request, another session each time)'
const GROWING = 'sessions that grow from 20 to 150 KB in 40 requests, wide characters'
const BURST = `stream of ${DELTAS} deltas, an HTTP chunk for each`
const BLOCK = `stream of ${DELTAS} deltas in one chunk`
const EACH = `stream of ${DELTAS} deltas, a write for each`

/** So few streams at the pace of a model are asked for that a process would be cold for minutes. */
const IN_BURSTS = { manner: 'burst', connections: 16, seconds: 1.5 } as const

/** Every dialect on both sides, alone and translated. */
const SOME = 'same,m:r,r:g,g:c,c:m'
const short = (lanes: string, rounds = 3, seconds = 0.4): Short => ({ lanes, rounds, seconds })
const QUICK = short(`direct,node:http,${SOME}`)
const FEW = 'm:m,m:r,r:g'

export const SCENARIOS: readonly Scenario[] = [
  requests('small-1', SMALL, 'small', {
    connections: 1,
    quick: short(`direct,node:http,${FEW},c:m`),
  }),
  requests('small-16', SMALL, 'small', { connections: 16 }),
  requests('small-64', SMALL, 'small', { connections: 64, quick: QUICK }),
  requests('agent-1', AGENT, 'agent', { connections: 1 }),
  requests('agent-16', AGENT, 'agent', { connections: 16 }),
  requests('agent-64', AGENT, 'agent', { connections: 64 }),
  requests('agent-wide-16', `${AGENT}, wide characters`, 'agent-wide', {
    connections: 16,
    quick: QUICK,
  }),
  requests('growing-16', GROWING, 'growing', { connections: 16, quick: QUICK }),
  requests('image-4', 'image (10 MB request)', 'image', {
    connections: 4,
    seconds: 2,
    dripMs: 20,
    quick: short(`node:http,${FEW}`, 2, 1),
  }),
  streams('burst-1', BURST, 'burst', { connections: 1 }),
  streams('burst-16', BURST, 'burst', { connections: 16, quick: QUICK }),
  streams('block-1', BLOCK, 'block', { connections: 1 }),
  streams('block-16', BLOCK, 'block', { connections: 16 }),
  streams('each-16', EACH, 'each', { connections: 16 }),
  streams('paced-64', 'streams of 50 events a second that begin together', 'paced', {
    connections: 64,
    seconds: 1.2,
    events: PACED_DELTAS,
    warming: IN_BURSTS,
    quick: short(`direct,${FEW}`, 3, 0.5),
  }),
  streams('talk-64', `streams of ${DELTAS} deltas, 50 a second`, 'talk', {
    connections: 64,
    warming: IN_BURSTS,
    full: short(`node:net,node:http,same,m:r,r:m,c:m`, 3, 4),
  }),
]

/** By name, or by the beginning of several names: `small`, `agent-16`. */
export const readScenarios = (list: string): Scenario[] =>
  SCENARIOS.filter(({ name }) =>
    list.split(',').some((text) => name === text || name.startsWith(`${text}-`)),
  )
