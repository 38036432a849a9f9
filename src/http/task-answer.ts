import { waitHeaders } from '../gateway/answer.ts'
import type { Answer } from '../gateway/exchange.ts'
import { journal } from '../gateway/journal.ts'
import { allowedAt, taskProblem, type TaskService } from '../gateway/task-routes.ts'
import type { Arrival } from './arrival.ts'
import { problemIn } from './converse.ts'
import { credentialOf } from './entrance.ts'
import type { Site } from './site.ts'
import { answerTask } from './tasks.ts'

/** A request for a task service: the same entrance, another language of failures. */
export async function taskAnswer(
  site: Site,
  arrival: Arrival,
  service: TaskService,
): Promise<Answer> {
  const { settings, ports, load } = site
  const { request, id, path } = arrival
  let leave: (() => void) | undefined
  const record = journal(ports, { id, method: request.method, path }, () => leave?.())
  try {
    const credential = await credentialOf(site, arrival)
    leave = load.enter()
    const { signal } = request
    return await answerTask({
      settings,
      ports,
      service,
      request,
      credential,
      signal,
      journal: record,
    })
  } catch (error) {
    const problem = problemIn(error)
    const { status, body } = taskProblem(service, problem)
    record.finish({ status, error: problem.message })
    const allow = problem.kind === 'method-not-allowed' ? allowedAt(service, path) : undefined
    const headers = {
      'content-type': 'application/json',
      ...waitHeaders(problem),
      ...(allow !== undefined && { allow }),
    }
    return { status, headers, body }
  }
}
