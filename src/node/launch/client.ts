/** What is known of a model that a client is told of. */
export interface ToldModel {
  id: string
  contextWindow?: number
  maxOutputTokens?: number
}

/** What a client is told. */
export interface LaunchFacts {
  /** Where the proxy is, without a path. */
  url: string
  /** The one-time key. */
  key: string
  /** Undefined leaves the choice to the client. */
  model?: ToldModel
  /** For titles, summaries and other small jobs; the model itself where there is no other. */
  small?: ToldModel
  /** All that have a name of their own. */
  models: readonly ToldModel[]
  /** Whether the upstream of the model speaks another dialect than the client. */
  foreign: boolean
  /** Where files of the launch may be written; it is gone when the client is. */
  folder: string
  /** Where the user's own files are. */
  home: string
  /** Where the client is started. */
  directory: string
  environment: Readonly<Record<string, string | undefined>>
  /** What the program printed when it was asked what it knows. */
  learned?: string | undefined
}

/** A client's start. Only `folder` is written to, whatever the client may find elsewhere. */
export interface Start {
  set: Readonly<Record<string, string>>
  /** Names that would lead it elsewhere. */
  unset: readonly string[]
  /** Before those of the user. */
  args: readonly string[]
  /** By their names below the folder. */
  files?: Readonly<Record<string, string>>
  /** Names below the folder that are the user's own files or folders. */
  links?: Readonly<Record<string, string>>
}

/** A client that can be launched. */
export interface Client {
  /** Its name on the command line, and of its program. */
  name: string
  title: string
  /** The package that brings it. */
  npm: string
  /** Folders below the user's own where its installer puts it, beside PATH. */
  places: readonly string[]
  /** Where it asks for a reply, which says what dialect it speaks. */
  path: string
  /** It has no model of its own that a route could take. */
  needsModel?: true
  /** Its arguments that would overrule what it is told. */
  overruling: readonly RegExp[]
  /** Arguments that make it print what it knows, where a start needs that; without a network, and at once. */
  asks?: readonly string[]
  start(told: LaunchFacts): Start
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

/** Variables that hold headers are in the way where one of the headers is a credential. */
export const holdsKeys = (headers: string | undefined): boolean =>
  /authorization|api-?key|token/i.test(headers ?? '')
