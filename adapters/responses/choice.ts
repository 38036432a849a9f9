import { isObject, type Json, type JsonObject } from '../../src/json/json.ts'
import type { Lose } from '../../src/model/loss.ts'
import type { ToolChoice } from '../../src/model/request.ts'
import { findCapability } from './hosted.ts'
import { extWith, wireForm, objectsOf, textIn } from './members.ts'

const MODES = ['auto', 'none', 'required'] as const
const readMode = (value: Json | undefined): ToolChoice['mode'] | undefined =>
  MODES.find((mode) => mode === value)

/** A choice by object keeps how it was spelled: several kinds of tools share one name. */
export function readChoice(choice: Json | undefined): ToolChoice | undefined {
  const mode = readMode(choice)
  if (mode) return { mode }
  if (!isObject(choice)) return undefined
  const ext = extWith({}, { choice })
  const spelling = ext ? { ext } : {}
  if (choice['type'] !== 'allowed_tools')
    return { mode: 'required', names: [nameIn(choice)], ...spelling }
  const names = objectsOf(choice['tools']).map(nameIn)
  return { mode: readMode(choice['mode']) ?? 'auto', names, ...spelling }
}

function nameIn(choice: JsonObject): string {
  const type = textIn(choice, 'type') ?? ''
  return findCapability(type) ?? textIn(choice, 'server_label') ?? textIn(choice, 'name') ?? type
}

/** `choices`: how each declared tool is named. A choice among tools that are not declared is none at all. */
export function writeChoice(
  choice: ToolChoice | undefined,
  choices: ReadonlyMap<string, JsonObject>,
  lose: Lose,
): Json | undefined {
  if (!choice) return undefined
  const spelledChoice = wireForm(choice)['choice']
  if (spelledChoice !== undefined) return spelledChoice
  const { mode, names } = choice
  if (choices.size === 0)
    return mode === 'required' || names ? lose('approximated', 'toolChoice') : undefined
  if (!names) return mode
  return writeNamed(mode, names, choices, lose)
}

function writeNamed(
  mode: ToolChoice['mode'],
  names: readonly string[],
  choices: ReadonlyMap<string, JsonObject>,
  lose: Lose,
): Json {
  if (names.length === 0) return 'none'
  const known = names.flatMap((name) => choices.get(name) ?? [])
  if (known.length < names.length) lose('approximated', 'toolChoice')
  const [first, ...others] = known
  if (!first) return 'auto'
  if (mode === 'none') return 'none'
  if (mode === 'required' && others.length === 0) return first
  return { type: 'allowed_tools', mode, tools: known }
}
