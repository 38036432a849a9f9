import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'

/** One recorded exchange, as far as the replay looks at it. */
export interface Recorded {
  id: string
  dialect: string
  /** `create` where the record does not say. */
  operation: string
  model: string
  status: number
  request: JsonObject | undefined
  /** The reply is one of these; neither for what is no conversation at all (an HTML page). */
  body: Json | undefined
  sse: string | undefined
}

/** A line that is no record: where it stands, and what is wrong with it. */
export interface Malformed {
  file: string
  line: number
  what: string
}

/** The records of a folder, one at a time; `sample` bounds how many, spread evenly. */
export async function* records(
  folder: string,
  sample: number | undefined,
  report: (malformed: Malformed) => void,
): AsyncGenerator<Recorded> {
  const files = await findFiles(folder)
  const total = sample === undefined ? 0 : await lineCount(files)
  let seen = 0
  for (const file of files) {
    let line = 0
    for await (const text of readLines(file)) {
      line += 1
      if (text.trim() === '') continue
      seen += 1
      if (sample !== undefined && !isChosen(seen, sample, total)) continue
      const record = readRecord(text)
      if (typeof record === 'string') report({ file, line, what: record })
      else yield record
    }
  }
}

async function findFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => join(folder, name))
}

const readLines = (file: string) => createInterface({ input: createReadStream(file, 'utf8') })

async function lineCount(files: string[]): Promise<number> {
  let count = 0
  for (const file of files) for await (const line of readLines(file)) if (line.trim()) count += 1
  return count
}

const isChosen = (index: number, sample: number, total: number): boolean =>
  Math.floor((index * sample) / total) > Math.floor(((index - 1) * sample) / total)

function readRecord(text: string): Recorded | string {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    return 'is no JSON'
  }
  if (!isObject(value)) return 'is no object'
  const { id, dialect, op, model, request, assumed, response } = value
  if (typeof id !== 'string' || typeof dialect !== 'string') return 'has no id or no dialect'
  if (!isObject(response)) return 'has no response'
  const spoken = isObject(request) ? request : isObject(assumed) ? assumed : {}
  return {
    id,
    dialect: NAMES.get(dialect) ?? dialect,
    operation: typeof op === 'string' ? op : 'create',
    model: modelOf(spoken['path']) ?? (typeof model === 'string' ? model : 'model-1'),
    status: Number(response['status'] ?? 200),
    request: isObject(request) && isObject(request['body']) ? request['body'] : undefined,
    body: response['body'],
    sse: typeof response['sse'] === 'string' ? response['sse'] : undefined,
  }
}

/** Recordings may call a dialect by a shorter name. */
const NAMES = new Map([['chat', 'chat-completions']])

/** One dialect has the model in its path. */
const modelOf = (path: Json | undefined): string | undefined =>
  typeof path === 'string' ? /\/models\/([^/:]+):/.exec(path)?.[1] : undefined
