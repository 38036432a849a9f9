/** How long a line may wait for others. */
const GATHER_MS = 10

/** Lines that come soon after each other are written together: each write waits for the system. */
export function batched(write: (text: string) => void): (line: string) => void {
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) write(lines.join(''))
    lines = []
  }
  // What was said last is what somebody will look for.
  process.on('exit', flush)
  return (line) => {
    if (lines.length === 0) setTimeout(flush, GATHER_MS)
    lines.push(`${line}\n`)
  }
}
