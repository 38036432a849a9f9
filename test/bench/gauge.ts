/** Loaded into a process whose memory is measured: tells what is left when the garbage has been collected. */

process.on('message', () => {
  global.gc?.()
  process.send?.(process.memoryUsage())
})
// A channel alone is no reason to stay.
process.channel?.unref()
