import { resolve } from 'node:path'
import { ConfigError } from '../../config/lint/finding.ts'
import type { Settings } from '../../config/settings.ts'
import type { ProcessEvent } from '../../observe/entry.ts'
import type { Inspector, Ports } from '../../ports.ts'
import { errorCode } from '../process/files.ts'
import { lineFile } from './file.ts'
import { recordExchanges } from './recorder.ts'

/** A record that is being written. */
export interface OpenRecord {
  ports: Pick<Ports, 'inspector'>
  close(): Promise<void>
}

/** Throws `ConfigError` where the file cannot be written. */
export async function openRecord(
  { record, origin }: Pick<Settings, 'record' | 'origin'>,
  directory: string,
  secrets: () => readonly string[],
  log: (event: ProcessEvent) => void,
): Promise<OpenRecord | undefined> {
  if (!record) return undefined
  const { file, maxBytes, bodies } = record
  const tell = (dropped: number, error: string) => log({ event: 'record', dropped, error })
  const lines = await lineFile(resolve(directory, file), { maxBytes, tell, now: Date.now }).catch(
    (error: unknown) => {
      const why = `the file cannot be written (${errorCode(error)})`
      throw new ConfigError('record.file', why, origin)
    },
  )
  const inspector = recordExchanges({
    bodies,
    secrets,
    write: (line) => lines.write(line),
    dropped: () => lines.dropped(),
  })
  return { ports: { inspector }, close: () => lines.close() }
}

/** Both look at each exchange. */
export const watchedBy = (
  first: Inspector | undefined,
  second: Inspector | undefined,
): Pick<Ports, 'inspector'> => {
  const inspector = first && second ? together(first, second) : (first ?? second)
  return inspector ? { inspector } : {}
}

const together = (outer: Inspector, inner: Inspector): Inspector => ({
  watch: (request, ports, answer) =>
    outer.watch(request, ports, (seen, watched) => inner.watch(seen, watched, answer)),
})
