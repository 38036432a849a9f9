import type { HttpRequest } from '../../ports.ts'
import type { Answer } from '../../exchange/exchange.ts'
import type { Observer } from '../../observe/observer.ts'
import { type Helper, type OwnProxy, serve } from '../command/commands.ts'
import { settingsFrom } from '../command/found.ts'
import type { Options } from '../command/options.ts'
import type { Process } from '../process/process.ts'
import type { ToPrimary, ToWorker } from './messages.ts'
import { type Counted, summed } from './sums.ts'

/** One of several processes behind a port. The first one reads the configuration, hears signals and greets. */

const tell = (message: ToPrimary): void => void process.send?.(message)

/** A terminal and a supervisor send them to the whole group: the first process says what they mean. */
const LEFT_TO_THE_FIRST = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const

export async function serveForPrimary(options: Options, world: Process): Promise<void> {
  for (const signal of LEFT_TO_THE_FIRST) process.on(signal, () => {})
  const sums = createSums()
  const { promise, resolve: begun } = Promise.withResolvers<ToWorker & { kind: 'begin' }>()
  let proxy: OwnProxy | undefined
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'begin') begun(message)
    else if (message.kind === 'reload') proxy?.adopt(settingsFrom(message.read, options))
    else if (message.kind === 'refused') proxy?.adopt(undefined)
    else if (message.kind === 'stop') void leave(proxy)
    else sums.hear(message)
  })
  tell({ kind: 'ready' })
  const { read, logStyle } = await promise
  const found = { settings: settingsFrom(read, options), files: [] }
  const own = { ...options, watch: false, inspect: false }
  proxy = await serve(own, { ...world, logStyle }, found, sums.helper)
  tell({ kind: 'listens', url: proxy.url })
}

/** One that has not begun yet has nothing to end. */
async function leave(proxy: OwnProxy | undefined): Promise<void> {
  await proxy?.stop()
  process.exit(0)
}

type Asked = Extract<ToWorker, { kind: 'count' | 'counted' }>

/** Answers for what all processes have counted together, whichever of them is asked. */
function createSums(): { helper: Helper; hear(message: Asked): void } {
  let observer: Observer | undefined
  let asked = 0
  const waiting = new Map<number, (others: readonly Counted[]) => void>()
  const ownCounts = (): Counted => ({
    metrics: observer?.metrics() ?? '',
    usage: JSON.stringify(observer?.usage() ?? {}),
  })
  const others = () =>
    new Promise<readonly Counted[]>((resolve) => {
      asked += 1
      waiting.set(asked, resolve)
      tell({ kind: 'count', id: asked })
    })
  return {
    helper: {
      around(answer, watching) {
        observer = watching
        return async (request) => together(request, await answer(request), others)
      },
    },
    hear(message) {
      if (message.kind === 'count') tell({ kind: 'counted', id: message.id, own: ownCounts() })
      else {
        waiting.get(message.id)?.(message.others)
        waiting.delete(message.id)
      }
    },
  }
}

const KINDS: readonly (readonly [path: string, kind: keyof Counted])[] = [
  ['/metrics', 'metrics'],
  ['/usage', 'usage'],
]

/** The answer, with what the others have counted added to what this process has. */
async function together(
  { url }: HttpRequest,
  answer: Answer,
  others: () => Promise<readonly Counted[]>,
): Promise<Answer> {
  const [path, kind] = KINDS.find(([known]) => url.includes(known)) ?? []
  const { status, body } = answer
  if (!kind || status !== 200 || typeof body !== 'string' || new URL(url).pathname !== path)
    return answer
  // Metrics and usage are summed separately; the one not asked for is left empty.
  const own = { metrics: '', usage: '{"since":"","callers":{}}', [kind]: body }
  return { ...answer, body: summed([own, ...(await others())])[kind] }
}
