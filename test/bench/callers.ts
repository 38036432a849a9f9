import { CALLER_KEY } from './shared.ts'

/** More of each than any slice asks for: a limit is counted and never reached. */
const ENDLESS = 1e12
const LIMITS = {
  requestsPerMinute: ENDLESS,
  tokensPerMinute: ENDLESS,
  concurrent: ENDLESS,
  usdPerDay: ENDLESS,
}

const caller = (name: string, key: string) => ({
  name,
  key,
  models: ['another-*', 'bench-*', '*'],
  limits: LIMITS,
  expires: '2100-01-01',
})

/** Eight callers with all that the configuration can say of one; the benchmark is the last of them. */
export const NAMED_CALLERS = {
  keys: [
    ...Array.from({ length: 6 }, (_, index) =>
      caller(`team-${index}`, `a-key-of-the-team-${index}`),
    ),
    caller('hashed', `sha256:${'0'.repeat(64)}`),
    caller('bench', CALLER_KEY),
  ],
}
