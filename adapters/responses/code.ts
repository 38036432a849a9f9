import { defined, isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import { isMinted } from '../../src/model/ids.ts'
import type { CodeBlock, CodeResultBlock } from '../../src/model/request.ts'
import type { ItemContext } from './blocks.ts'
import {
  extWith,
  wireForm,
  lookup,
  Members,
  objectIn,
  objectsOf,
  ownLeftovers,
  spelled,
  textIn,
} from './members.ts'

const OUTCOMES: Record<string, CodeResultBlock['outcome']> = {
  failed: 'failed',
  incomplete: 'deadline',
}
export const STATUS_OF_OUTCOME: Record<CodeResultBlock['outcome'], string> = {
  ok: 'completed',
  failed: 'failed',
  deadline: 'incomplete',
}

/**
 * Code and what it printed are one item here. Outputs without code belong to the code before: so they are
 * written where a proof had to come between the two.
 */
export interface ReadCode {
  code?: CodeBlock
  result?: CodeResultBlock
}

/** `before`: the id of the last code that was read. */
export function readCode(item: JsonObject, before: string | undefined): ReadCode {
  const members = new Members(item)
  members.any('type')
  const id = members.text('id') ?? ''
  const text = members.text('code') ?? ''
  const outputs = members.list('outputs')
  if (text === '' && outputs) return { result: readResult(item, before ?? id, outputs, true) }
  members.spell('status', 'container_id')
  const code = defined({
    kind: 'code' as const,
    id,
    language: 'python',
    code: text,
    ext: members.ext(),
  })
  return outputs ? { code, result: readResult(item, id, outputs, false) } : { code }
}

function readResult(
  item: JsonObject,
  callId: string,
  outputs: Json[],
  isAlone: boolean,
): CodeResultBlock {
  const [only] = objectsOf(outputs)
  const logs = objectsOf(outputs).flatMap((output) => textIn(output, 'logs') ?? [])
  const isLog = outputs.length === 1 && only?.['type'] === 'logs'
  // Pictures have no place but here.
  const isMore = logs.length < outputs.length
  const { type: _, outputs: __, ...head } = item
  const form = { ...(!isLog && !isMore && { outputs }), ...(isAlone && { head }) }
  return defined({
    kind: 'code-result' as const,
    callId,
    outcome: lookup(OUTCOMES, item['status']) ?? 'ok',
    output: logs.join('\n'),
    ext: extWith(isMore ? { outputs } : {}, form),
  })
}

/** Outputs other than one log stay as they came. */
export const writeOutputs = (block: CodeResultBlock): Json =>
  wireForm(block)['outputs'] ??
  ownLeftovers(block)['outputs'] ?? [{ type: 'logs', logs: block.output }]

export function writeCode(
  block: CodeBlock,
  result: CodeResultBlock | undefined,
  { own, path, lose }: ItemContext,
): JsonObject | undefined {
  if (!own || isMinted(block.id)) return lose('dropped', path)
  return {
    type: 'code_interpreter_call',
    id: block.id,
    code: block.code,
    outputs: result ? writeOutputs(result) : null,
    ...spelled(block, 'status', 'container_id'),
    ...ownLeftovers(block),
  }
}

/** Outputs are written with their code, unless they came alone. */
export function writeCodeResult(
  block: CodeResultBlock,
  { own, path, lose }: ItemContext,
): JsonObject | undefined {
  const { head } = wireForm(block)
  if (!own || isMinted(block.callId) || isMinted(objectIn(head)['id'])) return lose('dropped', path)
  if (!isObject(head)) return undefined
  return { type: 'code_interpreter_call', ...head, outputs: writeOutputs(block) }
}
