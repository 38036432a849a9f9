import { stringify, type JsonObject } from '../../json/json.ts'
import type { TaskService } from '../../exchange/tasks.ts'
import { ProblemError, statusOf, type Problem, type ProblemKind } from '../../model/problem.ts'

/** A service whose requests and answers pass unchanged. Only its paths are known here. */
export interface KnownService {
  name: 'image' | 'music'
  /** The path at which callers find the service; its upstream may have another. */
  mount: string
  /** The paths below the mount by their method; `{id}` stands for one segment. */
  paths: Readonly<Record<Method, readonly string[]>>
  /** Writes a failure in the service's words. */
  writeProblem(problem: Problem): JsonObject
}

type Method = 'GET' | 'POST'

interface TaskRow {
  method: Method
  path: string
}

/** The service's own codes for a parameter error and for a system error. */
const IMAGE_PARAMETER_ERROR = 21
const IMAGE_SYSTEM_ERROR = 23

const image: KnownService = {
  name: 'image',
  mount: '/img',
  paths: {
    POST: [
      '/submit/imagine',
      '/submit/blend',
      '/submit/describe',
      '/submit/modal',
      '/insight-face/swap',
      '/submit/action',
      '/submit/upload-chat-images',
      '/task/list-by-condition',
    ],
    GET: ['/task/{id}/fetch', '/task/{id}/image-seed'],
  },
  writeProblem: (problem) => ({
    code: statusOf(problem) < 500 ? IMAGE_PARAMETER_ERROR : IMAGE_SYSTEM_ERROR,
    description: problem.message,
    result: null,
  }),
}

const music: KnownService = {
  name: 'music',
  mount: '/music',
  paths: {
    POST: ['/submit/music', '/submit/lyrics', '/uploads/audio-url', '/submit/concat', '/fetch'],
    GET: ['/fetch/{id}'],
  },
  writeProblem: (problem) => ({
    code: problem.kind.replaceAll('-', '_'),
    message: problem.message,
    data: null,
  }),
}

const SERVICES: ReadonlyMap<string, KnownService> = new Map(
  [image, music].map((service) => [service.mount, service]),
)

/** The service that a path belongs to, even if it has no such endpoint. */
export function serviceAt(path: string): KnownService | undefined {
  const end = path.indexOf('/', 1)
  return SERVICES.get(end < 0 ? path : path.slice(0, end))
}

/** A failure in the words of the service. */
export function failureAt(
  service: KnownService,
  problem: Problem,
  path: string,
): ReturnType<TaskService['failure']> {
  const row = problem.kind === 'method-not-allowed' ? rowAt(service, path) : undefined
  const body = stringify(service.writeProblem(problem))
  return { status: statusOf(problem), body, ...(row && { allow: row.method }) }
}

/** The path of an existing endpoint below the mount; throws ProblemError for any other. */
export function taskPath(service: KnownService, method: string, path: string): string {
  const row = rowAt(service, path)
  if (!row) throw refused('not-found', `There is no endpoint ${quoted(path)}.`)
  if (row.method !== method)
    throw refused('method-not-allowed', `This endpoint takes ${row.method} only.`)
  const below = path.slice(service.mount.length)
  if (!pathIds(row, below).every(isId)) throw refused('invalid-request', 'This is no id of a task.')
  return below
}

const METHODS: readonly Method[] = ['POST', 'GET']

function rowAt({ mount, paths }: KnownService, path: string): TaskRow | undefined {
  const below = path.slice(mount.length)
  for (const method of METHODS) {
    const row = paths[method].find((each) => fits(each, below))
    if (row !== undefined) return { method, path: row }
  }
  return undefined
}

/** Compares segments without decoding them, because an upstream may read another spelling as another path. */
function fits(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const actual = path.split('/')
  return (
    expected.length === actual.length &&
    expected.every((segment, index) => segment === '{id}' || segment === actual[index])
  )
}

const pathIds = (row: TaskRow, path: string): string[] => {
  const pattern = row.path.split('/')
  return path.split('/').filter((_, index) => pattern[index] === '{id}')
}

const ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/

/** An id is checked after decoding, because the upstream will decode it: `..%2f` would lead out of its folder. */
function isId(segment: string): boolean {
  try {
    return ID.test(decodeURIComponent(segment))
  } catch {
    return false
  }
}

const refused = (kind: ProblemKind, message: string): ProblemError =>
  new ProblemError({ kind, message })

const LONGEST_QUOTE = 200

const quoted = (path: string): string =>
  path.length > LONGEST_QUOTE ? `${path.slice(0, LONGEST_QUOTE)}…` : path

/** The query without the caller's key; the rest stays as it came. */
export function passedQuery(search: string): string {
  const pairs = search.slice(1).split('&')
  const passed = pairs.filter((pair) => !new URLSearchParams(pair).has('key'))
  return passed.length === pairs.length ? search : passed.length > 0 ? `?${passed.join('&')}` : ''
}
