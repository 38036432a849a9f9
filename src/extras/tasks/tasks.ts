import type { Tasks } from '../../exchange/tasks.ts'
import { isPassedOn, passEndpoint } from './endpoint.ts'
import { answerTask } from './exchange.ts'
import { failureAt, serviceAt } from './routes.ts'

export const tasks: Tasks = {
  serviceAt(path) {
    const service = serviceAt(path)
    return (
      service && {
        answer: (task) => answerTask(service, task),
        failure: (problem, at) => failureAt(service, problem, at),
      }
    )
  },
  isPassedOn,
  passOn: passEndpoint,
}
