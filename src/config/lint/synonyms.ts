import { nearest } from './nearest.ts'

/** The members that other programs call by these words, written small and without marks between. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  'callers.limits.requestsPerMinute': 'rpm rpmlimit maxrpm ratelimit',
  'callers.limits.tokensPerMinute': 'tpm tpmlimit maxtpm',
  'callers.limits.concurrent': 'concurrency maxconcurrency maxparallelrequests',
  'callers.limits.usdPerDay': 'budget maxbudget dailybudget',
  'callers.keys': 'apikeys virtualkeys masterkey users',
  'upstreams.*.url': 'baseurl apibase apiurl apibaseurl endpoint address',
  'upstreams.*.key': 'apikey token secret password credential',
  'upstreams.*.dialect': 'provider type format protocol customllmprovider',
  'upstreams.*.timeouts': 'timeout timeoutms timeoutseconds requesttimeout',
  'upstreams.*.timeouts.totalMs': 'timeout timeoutms requesttimeout',
  'upstreams.*.timeouts.firstByteMs': 'readtimeout',
  'upstreams.*.maxOutputTokens': 'maxtokens',
  'upstreams.*.headers': 'extraheaders defaultheaders customheaders',
  'routes.*.upstream': 'fallbacks fallback provider providers target backend',
  'routes.*.as': 'alias rename upstreammodel targetmodel',
  failover: 'fallbacks fallback retries retry maxretries numretries',
  'failover.hops': 'retries maxretries numretries',
  upstreams: 'providers backends',
  routes: 'modellist router routing aliases',
  'state.store': 'redis redisurl database databaseurl',
  'state.ttlSeconds': 'ttl',
  '--port': 'port',
  '--host': 'host bind listen',
}

/** The member that was probably meant: `here` where it belongs to the same object, else its place. */
export interface Meant {
  word: string
  here: boolean
}

/** What a word that no member has was meant as, by its letters or by what other programs call so. */
export function meantBy(word: string, known: readonly string[]): Meant | undefined {
  const plain = word.toLowerCase().replaceAll(/[_-]/g, '')
  const places = Object.entries(OTHER_WORDS).flatMap(([place, words]) =>
    words.split(' ').includes(plain) ? [place] : [],
  )
  const same = places.map(memberIn).find((member) => known.includes(member))
  const here = same ?? nearest(word, known)
  if (here !== undefined) return { word: here, here: true }
  const [place] = places
  return place === undefined ? undefined : { word: place, here: false }
}

const memberIn = (place: string): string => place.slice(place.lastIndexOf('.') + 1)

const FACTORS: ReadonlyMap<string, Readonly<Record<string, number>>> = new Map([
  [
    'Bytes',
    {
      b: 1,
      k: 2 ** 10,
      kb: 2 ** 10,
      kib: 2 ** 10,
      m: 2 ** 20,
      mb: 2 ** 20,
      mib: 2 ** 20,
      g: 2 ** 30,
      gb: 2 ** 30,
      gib: 2 ** 30,
    },
  ],
  ['Ms', { ms: 1, s: 1000, sec: 1000, m: 60_000, min: 60_000, h: 3_600_000 }],
  ['Seconds', { s: 1, sec: 1, m: 60, min: 60, h: 3600, d: 86_400, days: 86_400 }],
])

/** The number that a text such as `10mb` or `30s` means in a member of this name. */
export function amountMeant(text: string, member: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?([a-z]{0,4})$/i.exec(text) ?? []
  if (digits === undefined) return undefined
  const [, factors] = [...FACTORS].find(([end]) => member.endsWith(end)) ?? []
  const factor = unit === '' ? 1 : factors?.[unit.toLowerCase()]
  return factor === undefined ? undefined : Math.round(Number(digits) * factor)
}
