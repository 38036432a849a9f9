import { invalid, ProblemError } from '../../model/problem.ts'
import { placeKey, upstreamKey } from '../../upstream/credentials.ts'
import { TIMEOUTS } from '../../config/defaults.ts'
import type { Answer } from '../../exchange/exchange.ts'
import type { TaskRequest } from '../../exchange/tasks.ts'
import type { HttpRequest, Send } from '../../ports.ts'
import { createSecrets } from '../../upstream/secrets.ts'
import type { TaskSettings } from '../../config/settings.ts'
import { pickHeaders } from '../../upstream/header-subset.ts'
import { passedQuery, taskPath, type KnownService } from './routes.ts'
import { callUpstream, type SendableRequest, type UpstreamCall } from '../../upstream/call.ts'
import { VERSION } from '../../version.ts'
import { taskReply } from './reply.ts'
import { createUpload, type Upload } from './upload.ts'

/**
 * Passes a request to its task service and the answer back, without changing a byte. Addresses in a body (a callback,
 * an image) concern the service alone; this proxy fetches none of them. Throws ProblemError.
 */
export async function answerTask(service: KnownService, exchange: TaskRequest): Promise<Answer> {
  const { settings, request, journal } = exchange
  const url = new URL(request.url)
  const path = taskPath(service, request.method, url.pathname)
  const task = settings.tasks[service.name]
  if (!task) throw notConfigured(service)
  journal.note({ upstream: `tasks.${service.name}` })
  const secret = upstreamKey(task.key, exchange.credential)
  const address = taskAddress(task, path, passedQuery(url.search))
  const upload = request.method === 'POST' ? createUpload(request, settings.limits.bodyBytes) : {}
  const headers = requestHeaders(request, upload, secret)
  const secrets = createSecrets(secret)
  const sent = { method: request.method, url: address, headers, body: upload.body, secrets }
  const call = await callTask(exchange, task, sent).catch((error: unknown) => {
    // The connection may have failed because the caller's body broke off.
    throw upload.problem ? new ProblemError(upload.problem) : error
  })
  const { streamBytes: maxBytes } = settings.limits
  return taskReply({
    call,
    key: task.key,
    secrets,
    now: exchange.ports.now(),
    alarm: exchange.ports.alarm,
    journal,
    maxBytes,
  })
}

function notConfigured({ name, mount }: KnownService): ProblemError {
  const variable = `DRAGOMAN_${name.toUpperCase()}`
  const what = `tasks.${name}.url and tasks.${name}.key (or ${variable}_URL and ${variable}_KEY)`
  const message = `No service is configured for ${mount}: set ${what} in the configuration.`
  return new ProblemError({ kind: 'not-found', message })
}

/** Refuses a path that would change when it becomes part of an address, such as one with `..`. */
function taskAddress({ base, prefix }: TaskSettings, path: string, query: string): string {
  const address = new URL(base).href.replace(/\/$/, '') + prefix + path
  if (new URL(address).href !== address) throw invalid('This path cannot be passed on.')
  return address + query
}

/** The caller's headers that describe the body and what is asked for. */
const REQUEST_HEADERS = [
  'content-type',
  'content-encoding',
  'accept',
  'accept-language',
  'idempotency-key',
]

function requestHeaders(
  request: HttpRequest,
  upload: Upload,
  key: string | undefined,
): Record<string, string> {
  const { header } = placeKey('bearer', key)
  return {
    accept: 'application/json',
    ...pickHeaders(request.headers, REQUEST_HEADERS),
    ...(upload.length !== undefined && { 'content-length': upload.length }),
    'user-agent': `dragoman/${VERSION}`,
    ...(header && Object.fromEntries([header])),
  }
}

function callTask(
  exchange: TaskRequest,
  { timeouts = TIMEOUTS }: TaskSettings,
  sent: SendableRequest,
): Promise<UpstreamCall> {
  const { send, ...others } = exchange.ports
  const ports = { ...others, send: sent.body ? once(send) : send }
  return callUpstream({ ...exchange, ports }, sent, { timeouts })
}

/** A body that was streamed cannot be sent a second time, so a repeated attempt fails with the first one's error. */
function once(send: Send): Send {
  let sent: ReturnType<Send> | undefined
  return (request) => (sent ??= send(request))
}
