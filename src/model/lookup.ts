/** Values by their names. Headers and URLSearchParams fit. */
export interface Lookup {
  get(name: string): string | null
}

/** What a request says before its headers and its body. */
export interface RequestHead {
  method: string
  path: string
  query: Lookup
}
