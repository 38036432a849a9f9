/**
 * Not in a model's name in a path: what cannot be printed, and the signs that end or leave a path where a server
 * decodes it once too often.
 */
const NAME = /^[^\p{C}%?#;\\]{1,256}$/u
const CLIMBING = /(?:^|\/)[. ]*(?:\/|$)/

/** Whether a model may have this name in a path, where it is escaped: no segment of it leads out of its place. */
export const isModelName = (name: string): boolean => NAME.test(name) && !CLIMBING.test(name)

/** A part of a path without its escapes; undefined where one of them is broken. */
export function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
