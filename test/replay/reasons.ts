import { isObject, type Json } from '../../src/json/json.ts'

/** Why a member of a reply says nothing to a foreign caller. */
export const OWN_ID = 'the caller is given an id of the proxy'
export const NAMED = 'the caller is told the name that it asked for'
export const ONLY = 'there is no other type'
export const COUNTED = 'a count that is not there is none'
export const ALWAYS = 'as always'
export const SUM = 'the other counts say it'
export const PLACED = 'its words say where they stand'
export const DEFAULT = 'the default'
export const SAID = 'a source that is named twice has its title once'

/** Nothing was counted. */
export const nothing = (value: Json | undefined): boolean =>
  isObject(value) ? Object.values(value).every(nothing) : value === 0 || value === null
