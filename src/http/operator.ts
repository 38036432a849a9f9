import { ProblemError } from '../model/problem.ts'
import type { Answer } from '../exchange/exchange.ts'
import type { AppContext, Operator } from './app-context.ts'
import { authenticate, UNKNOWN_KEY } from './admission/auth.ts'
import type { Observer } from '../observe/observer.ts'
import { authenticator } from '../upstream/credentials.ts'
import type { Arrival } from './request-head.ts'

const METRICS = '/metrics'
const USAGE = '/usage'
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics and usage. */
function operatorAnswer(context: AppContext, arrival: Arrival): Promise<Answer> | undefined {
  const { head, explain } = arrival
  const { observer, settings } = context
  const { metrics = { kind: 'off' } } = settings
  const isOurs = head.path === METRICS || head.path === USAGE
  return !isOurs || explain || !observer || metrics.kind === 'off'
    ? undefined
    : answerOperator(context, arrival, observer)
}

async function answerOperator(
  context: AppContext,
  arrival: Arrival,
  observer: Observer,
): Promise<Answer> {
  const { head } = arrival
  await demandKey(context, arrival)
  if (head.method !== 'GET' && head.method !== 'HEAD')
    throw new ProblemError(
      { kind: 'method-not-allowed', message: 'This path takes GET, HEAD only.' },
      { allow: 'GET, HEAD' },
    )
  const isMetrics = head.path === METRICS
  const body = isMetrics ? observer.metrics() : JSON.stringify(observer.usage())
  const type = isMetrics ? METRICS_TYPE : 'application/json'
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-store' }, body }
}

/** Demands the metrics' own key, else a caller's key where callers have keys. */
async function demandKey(context: AppContext, arrival: Arrival): Promise<void> {
  const { metrics } = context.settings
  if (metrics?.kind !== 'key') return void (await authenticate(context, arrival))
  const { request, head } = arrival
  if (!context.admitOperator?.(request.headers, head.query).admitted)
    throw new ProblemError(UNKNOWN_KEY)
}

/** For platforms on which something is counted. */
export const operator: Operator = {
  admits: ({ metrics }) =>
    metrics?.kind === 'key' ? authenticator({ kind: 'keys', keys: [metrics.key] }) : undefined,
  answer: operatorAnswer,
}
