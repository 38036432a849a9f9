/**
 * Paths to values that stay text, written `messages.*.content.*.input`: `*` is any array element, `a|b` either
 * member.
 */
export type VerbatimPaths = PathNode

export interface PathNode {
  readonly members: Map<string, PathNode>
  element?: PathNode
  leaf: boolean
  /** A bit for each length of a member's name: by it most names are ruled out without being read. */
  lengths: number
}

export function verbatimPaths(...paths: string[]): VerbatimPaths {
  const root = pathNode()
  for (const path of paths) grow([root], path.split('.'))
  return root
}

/** The paths of a document that may stand in a member of another one too, by either name. */
export function wrappedIn(names: readonly string[], paths: VerbatimPaths): VerbatimPaths {
  const root = pathNode()
  const wrapped = names.map((name) => [name, paths] as const)
  for (const [key, node] of [...paths.members, ...wrapped]) join(root, key, node)
  return root
}

function pathNode(): PathNode {
  return { members: new Map(), leaf: false, lengths: 0 }
}

function grow(nodes: PathNode[], segments: string[]): void {
  for (const segment of segments) {
    nodes = nodes.flatMap((node) => segment.split('|').map((key) => child(node, key)))
  }
  for (const node of nodes) node.leaf = true
}

function child(node: PathNode, key: string): PathNode {
  if (key === '*') return (node.element ??= pathNode())
  const known = node.members.get(key)
  if (known) return known
  return join(node, key, pathNode())
}

function join(node: PathNode, key: string, inner: PathNode): PathNode {
  node.members.set(key, inner)
  node.lengths |= 1 << (key.length & 31)
  return inner
}
