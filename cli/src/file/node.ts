/**
 * The content of a file and its positions, in either format. `at` is a character offset. A file
 * with problems has nodes too, so that one run lists all problems.
 */
export type Node = ScalarNode | ListNode | MapNode | InvalidNode

type ScalarNode = {
  kind: 'scalar'
  at: number
  value: string | number | boolean | null
}
type ListNode = { kind: 'list'; at: number; items: Node[] }
export type MapNode = {
  kind: 'map'
  at: number
  entries: Map<string, Entry>
  /** A part could not be read: a field that seems missing may be there. */
  isPartial: boolean
}
/** A value that was refused; nothing else is reported about it. */
type InvalidNode = { kind: 'invalid'; at: number }

type Entry = { keyAt: number; value: Node }

/** Reports a problem at an offset. */
export type Report = (at: number, message: string) => void

/** Whether the whole node could be read. */
export const isValid = (node: Node): boolean => {
  switch (node.kind) {
    case 'scalar':
      return true
    case 'invalid':
      return false
    case 'list':
      return node.items.every(isValid)
    case 'map':
      return !node.isPartial && [...node.entries.values()].every(({ value }) => isValid(value))
    default:
      return node satisfies never
  }
}

/** The node as a plain value for a schema; parts that could not be read are undefined. */
export const valueOf = (node: Node): unknown => {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'invalid':
      return undefined
    case 'list':
      return node.items.map(valueOf)
    case 'map':
      return Object.fromEntries(Array.from(node.entries, ([key, { value }]) => [key, valueOf(value)]))
    default:
      return node satisfies never
  }
}
