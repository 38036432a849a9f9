import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Editors write a file in several steps. */
const SETTLE_MS = 200
/** Not every file system tells of changes. */
const CHECK_MS = 5000

/**
 * Calls when one of the files has changed, until it is told to stop. The folders are watched and not the files:
 * editors replace a file by another one of its name, and Kubernetes a link in its path.
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
    // The files that a configuration names may be others now.
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

/** A folder that cannot be watched is looked at from time to time. */
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

/** Another file under the same name, or the same with another content. */
function signature(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${file} ${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}` : file
}
