import type { ServerFacts } from '../../../adapters/contract.ts'
import type { Destination } from '../../upstream/route.ts'
import type { Sessions } from '../../upstream/sessions.ts'
import type { AdmittedRequest } from '../exchange.ts'

type Process = Pick<AdmittedRequest, 'pools'>

/** What was learnt of one upstream: the betas that it refuses, and the facts with them. */
interface Learnt {
  readonly betas: Set<string>
  from?: ServerFacts
  facts?: ServerFacts
}

/** For the life of a process, whose sessions these are. By the name of the upstream and its address. */
const learnt = new WeakMap<Sessions, Map<string, Learnt>>()

const nameOf = ({ upstream }: Destination): string => `${upstream.name} ${upstream.base}`

/** Notes betas that an upstream has refused by their names. */
export function learnBetas(
  { pools }: Process,
  destination: Destination,
  betas: readonly string[],
): void {
  const known = learnt.get(pools.sessions) ?? new Map<string, Learnt>()
  const name = nameOf(destination)
  const before = known.get(name)?.betas ?? []
  known.set(name, { betas: new Set([...before, ...betas]) })
  learnt.set(pools.sessions, known)
}

/** The destination with what was learnt of its upstream. */
export function withLearnt({ pools }: Process, destination: Destination): Destination {
  const { target } = destination
  const { server } = target.facts
  const known = server?.betas && learnt.get(pools.sessions)?.get(nameOf(destination))
  if (!known || !server) return destination
  return {
    ...destination,
    target: { ...target, facts: { ...target.facts, server: factsWith(known, server) } },
  }
}

/** The same object from request to request, by which others know that nothing has changed. */
function factsWith(known: Learnt, server: ServerFacts): ServerFacts {
  if (known.facts && known.from === server) return known.facts
  known.from = server
  known.facts = { ...server, betas: [...(server.betas ?? []), ...refusing(known.betas)] }
  return known.facts
}

/** As facts say which do not pass. */
export const refusing = (betas: Iterable<string>): string[] => [...betas].map((name) => `!${name}`)
