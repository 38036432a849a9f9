import type { Loss, LossCode } from '../../model/loss.ts'

/** A loss as a person is told of it. */
export interface ReportedLoss extends Loss {
  /** The place in the body that it came from, as a JSON pointer; undefined for what was not said there. */
  readonly field: string | undefined
  /** What became of it, in a sentence. */
  readonly why: string
}

/** The explanation of each code of a loss. */
const WHY: Readonly<Record<LossCode, string>> = {
  dropped: 'The upstream has no place for it.',
  approximated: 'The upstream is sent what is nearest.',
  defaulted: 'The upstream demands what was not said.',
  reordered: 'The upstream is sent it in another order.',
}
const WHY_OF_REPLY: Readonly<Record<LossCode, string>> = {
  dropped: 'The caller’s API has no place for it.',
  approximated: 'The caller is told what is nearest.',
  defaulted: 'The caller’s API demands what was not said.',
  reordered: 'The caller is told it in another order.',
}

export const whyOf = ({ code, detail }: Loss, words = WHY): string =>
  detail === undefined ? words[code] : `${words[code]} (${detail})`

const isOfReply = ({ path }: Loss): boolean => /^reply(?:\.|$)/.test(path)

/** `fieldOf` finds a place by trial, so it is asked once, and only for a loss whose place is looked at. */
export const reportLosses = (
  losses: readonly Loss[],
  fieldOf: (loss: Loss) => string | undefined,
): readonly ReportedLoss[] => losses.map((loss) => new LossAtPlace(loss, fieldOf))

class LossAtPlace implements ReportedLoss {
  readonly code: LossCode
  readonly path: string
  declare readonly detail?: string
  readonly #fieldOf: (loss: Loss) => string | undefined
  #found: { field: string | undefined } | undefined

  constructor({ code, path, detail }: Loss, fieldOf: (loss: Loss) => string | undefined) {
    this.code = code
    this.path = path
    if (detail !== undefined) this.detail = detail
    this.#fieldOf = fieldOf
  }

  get field(): string | undefined {
    this.#found ??= { field: this.#fieldOf(this) }
    return this.#found.field
  }

  get why(): string {
    return whyOf(this, isOfReply(this) ? WHY_OF_REPLY : WHY)
  }

  toJSON(): object {
    return { ...this, field: this.field, why: this.why }
  }
}
