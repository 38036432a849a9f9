import { stringify, type JsonObject } from '../../src/json/json.ts'
import type { FunctionTool } from '../../src/model/request.ts'
import { nulls, own, readCache, spelling, textIn, withoutNulls } from './dialect.ts'

interface Typed {
  description: string
  properties: JsonObject
  required: string[]
}

const STRING = { type: 'string' }
const INTEGER = { type: 'integer' }

/** Tools that the caller runs, by the beginning of their dated types: what the model knows of them unsaid. */
const TYPED = new Map<string, Typed>([
  [
    'bash',
    {
      description: 'Runs a command in a shell that stays open, or starts the shell again.',
      properties: { command: STRING, restart: { type: 'boolean' } },
      required: [],
    },
  ],
  [
    'text_editor',
    {
      // What is inserted has had two names.
      description:
        'Views a file (its lines view_range) or a folder, creates a file with file_text, replaces the only old_str by new_str, or inserts insert_text (given as new_str too) after insert_line.',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
        path: STRING,
        file_text: STRING,
        old_str: STRING,
        new_str: STRING,
        insert_line: INTEGER,
        insert_text: STRING,
        view_range: { type: 'array', items: INTEGER },
      },
      required: ['command', 'path'],
    },
  ],
])

/** To any other dialect they are functions; undefined for a tool of another kind. */
export function readTyped(raw: JsonObject): FunctionTool | undefined {
  const { name, cache_control, ...rest } = raw
  const typed = TYPED.get(textIn(raw['type']).replace(/_\d+$/, ''))
  if (!typed) return undefined
  const { description, ...schema } = typed
  return {
    kind: 'function',
    name: textIn(name),
    description,
    schema: stringify({ type: 'object', ...schema }),
    ...readCache(cache_control),
    ...own({ ...withoutNulls(rest), ...nulls(raw), ...spelling({ typed: true }) }),
  }
}
