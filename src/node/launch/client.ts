import type { ModelEntry } from '../../../adapters/contract.ts'

/** A model that a client is told of. */
export interface LaunchModel extends ModelEntry {
  /** The configuration says its window. */
  isWindowSaid?: true
}

/** What a client needs to know to be started. */
export interface LaunchFacts {
  /** Where the proxy is, without a path. */
  url: string
  /** The one-time key. */
  key: string
  /** The model to use; undefined leaves the choice to the client. */
  model?: LaunchModel
  /** The model for titles, summaries and other small jobs; `model` when absent. */
  small?: LaunchModel
  /** The models that the configuration names exactly. */
  models: readonly LaunchModel[]
  /** Whether the upstream of the model speaks another dialect than the client. */
  foreign: boolean
  /** Whether the client may stay connected. */
  sockets: boolean
  /** A folder for files of the launch, which is removed after it. */
  folder: string
  /** The user's home folder. */
  home: string
  /** The folder in which the client is started. */
  directory: string
  environment: Readonly<Record<string, string | undefined>>
  /** What the program printed for the arguments in `asks`. */
  learned?: string | undefined
}

/** How a client is started. The launch writes only into `folder`. */
export interface Start {
  set: Readonly<Record<string, string>>
  /** Variables that would lead the client elsewhere. */
  unset: readonly string[]
  /** Arguments before those of the user. */
  args: readonly string[]
  /** Files by their names in the folder. */
  files?: Readonly<Record<string, string>>
  /** Links in the folder to files or folders of the user. */
  links?: Readonly<Record<string, string>>
}

/** A client that can be launched. */
export interface Client {
  /** The name on the command line, which is also that of the program. */
  name: string
  title: string
  /** The npm package that installs it. */
  npm: string
  /** Folders below the user's home in which its installer puts it, beside those of PATH. */
  places: readonly string[]
  /** The path at which it asks for replies; it tells the client's dialect. */
  path: string
  /** Set where the client has no model of its own that a route could take. */
  needsModel?: true
  /** Arguments of the user that would override the launch. */
  overruling: readonly RegExp[]
  /** Arguments that make the program print what it knows, for clients that need it. They use no network. */
  asks?: readonly string[]
  start(facts: LaunchFacts): Start
}

/** The members that have a value. */
export const given = (
  members: Readonly<Record<string, string | number | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )

/**
 * How much a client may ask for in every request, by one of its settings. Some models are known to write as much as
 * they can read; asked for all of it, they have no room for the question. What the small model takes counts too, because
 * the client asks both for the same.
 */
export function outputBound({
  model,
  small,
}: Pick<LaunchFacts, 'model' | 'small'>): number | undefined {
  if (model?.maxOutputTokens === undefined) return undefined
  const bounds = [model, small].flatMap((each) => (each ? roomyBound(each) : []))
  return Math.min(...bounds)
}

function roomyBound({ contextWindow = Infinity, maxOutputTokens }: LaunchModel): number[] {
  if (maxOutputTokens === undefined) return []
  const half = Math.floor(contextWindow / 2)
  return [maxOutputTokens < contextWindow ? maxOutputTokens : half]
}

/** Whether a variable with headers holds a credential, which would override the launch's. */
export const holdsKeys = (headers: string | undefined): boolean =>
  /authorization|api-?key|token/i.test(headers ?? '')
