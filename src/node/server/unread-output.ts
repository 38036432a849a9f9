import type { Writable } from 'node:stream'

/** What waits for a reader of the output at most: some ten thousand lines of the log. */
export const MOST_WAITING_BYTES = 8 * 1024 * 1024

type Output = Pick<Writable, 'write' | 'writableLength' | 'once'>

/**
 * Writes to standard output. A pipe that is not read (a collector of logs that hangs, a parent that reads nothing of
 * what its child says) must not stop the proxy, so Node keeps in memory what does not fit into it, without an end.
 * Beyond the bound lines are dropped instead, and `complain` says so, and how many there were.
 */
export function boundedOutput(
  output: Output,
  complain: (line: string) => void,
): (text: string) => void {
  let dropped = 0
  const reportDropped = () => {
    complain(`the output is read again; ${dropped} lines of it were dropped`)
    dropped = 0
  }
  return (text) => {
    if (dropped === 0 && output.writableLength <= MOST_WAITING_BYTES) return void output.write(text)
    if (dropped === 0) {
      complain('nobody reads the output, and lines of it are dropped until somebody does')
      output.once('drain', reportDropped)
    }
    dropped += text.split('\n').length - 1
  }
}
