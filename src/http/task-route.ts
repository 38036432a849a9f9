import { waitHeaders } from '../exchange/answers/answer.ts'
import type { Answer } from '../exchange/exchange.ts'
import type { TaskService } from '../exchange/tasks.ts'
import type { Arrival } from './request-head.ts'
import { authenticate } from './admission/auth.ts'
import type { AppContext } from './app-context.ts'
import { toProblem } from '../problems/failures.ts'

/**
 * Answers a request for a task service. It is admitted like any other, and failures are written in the service's
 * words.
 */
export async function taskAnswer(
  context: AppContext,
  arrival: Arrival,
  service: TaskService,
): Promise<Answer> {
  const { settings, ports, load } = context
  const { request, journal } = arrival
  try {
    const { credential, caller } = await authenticate(context, arrival)
    journal.note({ operation: 'task' })
    await context.use?.enter(caller, journal)
    journal.onEnd(load.enter())
    const { signal } = request
    const answer = await service.answer({ settings, ports, request, credential, signal, journal })
    return { ...answer, headers: { ...answer.headers, ...AS_SAID } }
  } catch (error) {
    return failedTask(arrival, service, error)
  }
}

/** Writes a failure in the words of the service. */
export function failedTask(
  { path, journal }: Arrival,
  service: TaskService,
  error: unknown,
): Answer {
  const problem = toProblem(error)
  const { status, body, allow } = service.failure(problem, path)
  journal.finish({ status, problem })
  const headers = {
    'content-type': 'application/json',
    ...waitHeaders(problem),
    ...(allow !== undefined && { allow }),
  }
  return { status, headers: { ...headers, ...AS_SAID }, body }
}

/** Keeps browsers from taking what a service sent for a page or a script. */
const AS_SAID = { 'x-content-type-options': 'nosniff' }
