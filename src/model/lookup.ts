/** Values by their names. Headers and URLSearchParams fit. */
export interface Lookup {
  get(name: string): string | null
}
