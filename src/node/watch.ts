import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Editors write a file in several steps. */
const SETTLE_MS = 200
/** Network file systems report no changes, so the files are checked in this interval too. */
const CHECK_MS = 5000

/**
 * Calls `changed` when one of the files has changed, until the returned function is called. It watches the folders
 * and not the files, because editors replace a file by a new one, and Kubernetes replaces a link in its path.
 */
export function watchFiles(list: () => readonly string[], changed: () => void): () => void {
  let known = signatures(list())
  let settling: NodeJS.Timeout | undefined
  let folders: FSWatcher[] = []
  const look = () => {
    const now = signatures(list())
    if (now === known) return
    known = now
    changed()
    // The changed configuration may name other files.
    known = signatures(list())
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

const signatures = (files: readonly string[]): string => files.map(signature).join('\n')

/** Differs when a file was replaced or its content changed. */
function signature(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${file} ${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}` : file
}
