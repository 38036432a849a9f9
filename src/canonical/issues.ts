/** What a validating library says of a value that is wrong: as much of it as the words need. */
interface Issue {
  readonly code?: string
  readonly input?: unknown
  readonly [member: string]: unknown
}

/** What there may be too much or too little of. */
const UNITS = new Map<unknown, string>([
  ['string', 'characters'],
  ['array', 'items'],
])

/** The words for it. The library's own dictionary has more of them than all the rest of it has code. */
export function issueWords(issue: Issue): string {
  const { code, input, expected, values, origin, minimum, maximum, keys } = issue
  const unit = UNITS.get(origin)
  const amount = unit === undefined ? '' : ` ${unit}`
  switch (code) {
    case 'invalid_type':
      return `Invalid input: expected ${String(expected)}, received ${kindOf(input)}`
    case 'invalid_value':
      return `Invalid input: expected ${listed(values, '|')}`
    case 'too_small':
      return `Too small: expected at least ${String(minimum)}${amount}`
    case 'too_big':
      return `Too big: expected at most ${String(maximum)}${amount}`
    case 'unrecognized_keys':
      return `Unrecognized: ${listed(keys, ', ')}`
    default:
      return 'Invalid input'
  }
}

const listed = (values: unknown, separator: string): string =>
  Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(separator) : ''

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
