let fixed: string | undefined

/** The day in UTC, on which a price changes, or another model answers. */
export const today = (): string => fixed ?? new Date().toISOString().slice(0, 10)

/** For tests, which say what is known on one day, and have to say it on every other one. */
export function standStillOn(day: string): void {
  fixed = day
}
