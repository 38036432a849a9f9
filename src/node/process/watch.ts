import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './files.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 200
/** Network file systems report no changes, so the files are checked in this interval too. */
const CHECK_MS = 5000

/**
 * Calls `changed` when one of the files has changed, until the returned function is called. It watches the folders
 * and not the files, because editors replace a file by a new one, and Kubernetes replaces a link in its path. `known`:
 * what the files were like before they were read.
 */
export function watchFiles(
  list: () => readonly string[],
  changed: () => void,
  known: Signatures = signaturesOf(list()),
): () => void {
  let settling: NodeJS.Timeout | undefined
  let folders: FSWatcher[] = []
  const look = () => {
    const now = signaturesOf(known.keys())
    if ([...now].every(([file, signature]) => signature === known.get(file))) return
    changed()
    // The changed configuration may name other files. One that has changed while it was read will be read again.
    known = new Map(list().map((file) => [file, now.get(file) ?? signature(file)]))
    listen()
  }
  const soon = () => {
    clearTimeout(settling)
    settling = setTimeout(look, SETTLE_MS).unref()
  }
  const listen = () => {
    for (const folder of folders) folder.close()
    folders = [...new Set(list().map((file) => dirname(file)))].flatMap((folder) =>
      watched(folder, soon),
    )
  }
  listen()
  const clock = setInterval(look, CHECK_MS).unref()
  return () => {
    clearInterval(clock)
    clearTimeout(settling)
    for (const folder of folders) folder.close()
  }
}

/** A folder that cannot be watched is checked in the interval. */
function watched(folder: string, changed: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, changed)
    watcher.on('error', () => watcher.close())
    return [watcher]
  } catch {
    return []
  }
}

/** What files are like, by their names. */
export type Signatures = ReadonlyMap<string, string>

export const signaturesOf = (files: Iterable<string>): Signatures =>
  new Map([...files].map((file) => [file, signature(file)]))

/** Differs when a file was replaced or its content changed. */
function signature(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat ? `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}` : ''
  } catch (error) {
    // As of a network file system that has lost it, or of a link that leads to itself.
    return errorCode(error)
  }
}
