/**
 * Every member that the official clients know, with its fate here. A client that learns a member, or forgets
 * one, fails the compilation until somebody has decided. The tests of this folder hold the adapters to it.
 *
 * - read: it has a place in the canonical model.
 * - ext: a leftover of its node, written back to its own dialect and reported to the others.
 * - opaque: a whole block that only its own dialect gets back.
 * - read as other: known to exist, and taken for the nearest thing that the model has.
 * - ignored: it carries nothing that a reply needs.
 */
export type Fate = 'read' | 'ext' | 'opaque' | 'read as other' | 'ignored'
export type Ledger<Theirs extends string> = Record<Theirs, Fate>
