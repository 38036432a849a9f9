/** 64-bit integers may come as strings. */
export function amount(value: number | string | undefined): number | undefined {
  return typeof value === 'string' ? Number(value) : value
}
