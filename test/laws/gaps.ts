/**
 * What a dialect loses in silence, as far as it is known: `caller → upstream: how path`. A line that is no loss any
 * more has to go: the law that reads this fails for it.
 */
export const GAPS: ReadonlySet<string> = new Set([])
