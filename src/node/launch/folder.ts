import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { errorCode } from '../process/files.ts'
import type { Start } from './client.ts'

const NAME = /^dragoman-launch-(\d+)-/

/** A folder that only this user can enter, named by this process. */
export const privateFolder = (): string =>
  mkdtempSync(join(tmpdir(), `dragoman-launch-${process.pid}-`))

/** Removes folders of processes that have ended. Those of another user stay. */
export function sweepLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, id] = NAME.exec(name) ?? []
    if (id !== undefined && !isAlive(Number(id))) removeFolder(join(tmpdir(), name))
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

/** Removes a folder without following links, because they lead to the user's files. */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // It belongs to another user, or is still written to: the next launch tries again.
  }
}

/** Writes the files and links of a start into its folder. */
export function fillFolder(folder: string, { files = {}, links = {} }: Start): void {
  const place = (name: string): string => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return path
  }
  for (const [name, text] of Object.entries(files))
    writeFileSync(place(name), text, { mode: 0o600 })
  for (const [name, target] of Object.entries(links)) symlinkSync(target, place(name))
}
