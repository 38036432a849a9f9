/** Further series are counted together as `other`, because a metric with endless series overloads its reader. */
const MOST_SERIES = 500
const OTHER = 'other'
/** A series has at most four labels. */
const MOST_BRANCHES = 4 * MOST_SERIES

type Labels = Readonly<Record<string, string>>

interface Series {
  labels: string
  value: number
  /** For a histogram: how many values were at most each bound, and how many there were in all. */
  buckets?: number[]
  count?: number
}

/** The series of some values, found value by value: spelling labels takes longer than counting. */
interface Branch {
  next: Map<string, Branch>
  series?: Series
}

/** One metric with all its series, in the text format of Prometheus (version 0.0.4). */
export class Metric {
  readonly #head: string
  readonly #name: string
  readonly #names: readonly string[]
  readonly #bounds: readonly number[] | undefined
  readonly #series = new Map<string, Series>()
  /** The same by the values of their labels. */
  #root: Branch = { next: new Map() }
  #branches = 0

  constructor(
    name: string,
    type: 'counter' | 'gauge' | 'histogram',
    help: string,
    names: readonly string[] = [],
    bounds?: readonly number[],
  ) {
    this.#name = name
    this.#names = names
    this.#bounds = bounds
    this.#head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  }

  add(labels: Labels, value = 1): void {
    this.#at(labels).value += value
  }

  set(labels: Labels, value: number): void {
    this.#at(labels).value = value
  }

  observe(labels: Labels, value: number): void {
    const series = this.#at(labels)
    const { buckets = [] } = series
    const bounds = this.#bounds ?? []
    // From the largest on: the first that is too small ends it.
    for (let at = bounds.length - 1; at >= 0 && value <= (bounds[at] ?? 0); at -= 1)
      buckets[at] = (buckets[at] ?? 0) + 1
    series.buckets = buckets
    series.value += value
    series.count = (series.count ?? 0) + 1
  }

  /** Forgets all series. */
  clear(): void {
    this.#series.clear()
    this.#root = { next: new Map() }
    this.#branches = 0
  }

  text(): string {
    const lines = [...this.#series.values()].flatMap((series) => this.#lines(series))
    return lines.length > 0 ? `${this.#head}${lines.join('\n')}\n` : ''
  }

  #at(labels: Labels): Series {
    let branch = this.#root
    for (const name of this.#names) {
      const value = labels[name] ?? OTHER
      const next = branch.next.get(value) ?? this.#grown(branch, value)
      if (!next) return this.#spelled(labels)
      branch = next
    }
    return (branch.series ??= this.#spelled(labels))
  }

  /** Undefined where there are too many. */
  #grown({ next }: Branch, value: string): Branch | undefined {
    if (this.#branches >= MOST_BRANCHES) return undefined
    const branch: Branch = { next: new Map() }
    this.#branches += 1
    next.set(value, branch)
    return branch
  }

  #spelled(labels: Labels): Series {
    const key = this.#key(labels)
    const known = this.#series.get(key)
    if (known) return known
    const isFull = this.#series.size >= MOST_SERIES - 1
    const spelled = isFull ? this.#key({}) : key
    const series = this.#series.get(spelled) ?? { labels: spelled, value: 0 }
    this.#series.set(spelled, series)
    return series
  }

  #key(labels: Labels): string {
    return this.#names.map((name) => `${name}="${escaped(labels[name] ?? OTHER)}"`).join(',')
  }

  #lines({ labels, value, buckets, count = 0 }: Series): string[] {
    const name = this.#name
    const braced = (more = '') => {
      const all = [labels, more].filter(Boolean).join(',')
      return all === '' ? '' : `{${all}}`
    }
    if (!this.#bounds) return [`${name}${braced()} ${value}`]
    return [
      ...this.#bounds.map(
        (bound, index) => `${name}_bucket${braced(`le="${bound}"`)} ${buckets?.[index] ?? 0}`,
      ),
      `${name}_bucket${braced('le="+Inf"')} ${count}`,
      `${name}_sum${braced()} ${value}`,
      `${name}_count${braced()} ${count}`,
    ]
  }
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
