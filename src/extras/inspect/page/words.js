// How numbers and exchanges are said.

export const bytesOf = (text) => new TextEncoder().encode(text).length
export const count = (n) => n?.toLocaleString('en') ?? ''
export const plural = (n, word, more = `${word}s`) => `${count(n)} ${n === 1 ? word : more}`
export const time = (ms) =>
  ms === undefined
    ? ''
    : ms < 1000
      ? `${Math.round(ms * 10) / 10} ms`
      : `${(ms / 1000).toFixed(2)} s`
export const size = (n) =>
  n < 1024
    ? `${n} B`
    : n < 1_048_576
      ? `${(n / 1024).toFixed(1)} kB`
      : `${(n / 1_048_576).toFixed(1)} MB`
export const money = (n) => (n === undefined ? '' : `$${n < 0.01 ? n.toFixed(6) : n.toFixed(4)}`)

export const modelOf = ({ model, sentModel }) =>
  model === sentModel || !sentModel ? (model ?? '') : `${model} = ${sentModel}`
/** Between which dialects; where it leads is told at its end. */
export const wayOf = ({ isOver, url, dialect, upstreamDialect }) =>
  isOver
    ? `${dialect ?? '?'} → ${upstreamDialect ?? '–'}`
    : `${url.split('?')[0]} → ${upstreamDialect ?? '…'}`
export const isBad = ({ status, outcome }) =>
  status >= 400 || (outcome && !['ok', 'left'].includes(outcome))
export const statusOf = (row) => {
  if (row.status === undefined) return 'open'
  const word = row.outcome && row.outcome !== 'ok' ? ` ${row.outcome.replace('_', ' ')}` : ''
  return `${isBad(row) ? '✗' : row.isOver ? '✓' : '…'} ${row.status}${word}${row.stream ? ' ⇶' : ''}`
}

/** An attempt, with the upstream and key that were asked where each call is one. */
export function attemptName({ attempts = [], calls }, index) {
  const who = attempts.length === calls.length ? ` (${attempts[index].member})` : ''
  return `attempt ${index + 1}${who}`
}
