import { waitHeaders } from '../gateway/answer.ts'
import type { Answer } from '../gateway/exchange.ts'
import { allowedAt, taskProblem, type TaskService } from '../gateway/task-routes.ts'
import type { Arrival } from './arrival.ts'
import { problemIn } from './converse.ts'
import { admissionOf } from './entrance.ts'
import type { Site } from './site.ts'
import { answerTask } from './tasks.ts'

/** A request for a task service: the same entrance, another language of failures. */
export async function taskAnswer(
  site: Site,
  arrival: Arrival,
  service: TaskService,
): Promise<Answer> {
  const { settings, ports, load } = site
  const { request, journal } = arrival
  try {
    const { credential } = admissionOf(site, arrival)
    journal.whenOver(load.enter())
    const { signal } = request
    const answer = await answerTask({
      settings,
      ports,
      service,
      request,
      credential,
      signal,
      journal,
    })
    return { ...answer, headers: { ...answer.headers, ...AS_SAID } }
  } catch (error) {
    return failedTask(arrival, service, error)
  }
}

/** What goes wrong, in the words of the service. */
export function failedTask(
  { path, journal }: Arrival,
  service: TaskService,
  error: unknown,
): Answer {
  const problem = problemIn(error)
  const { status, body } = taskProblem(service, problem)
  journal.finish({ status, problem })
  const allow = problem.kind === 'method-not-allowed' ? allowedAt(service, path) : undefined
  const headers = {
    'content-type': 'application/json',
    ...waitHeaders(problem),
    ...(allow !== undefined && { allow }),
  }
  return { status, headers: { ...headers, ...AS_SAID }, body }
}

/** No browser guesses that what a service sent is a page or a script. */
const AS_SAID = { 'x-content-type-options': 'nosniff' }
