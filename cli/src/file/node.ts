/**
 * What a file says and where, of either format. `at` is an offset in characters into its text.
 * A file with problems has nodes as well, so that one run lists all of them.
 */
export type Node = ScalarNode | ListNode | MapNode | UnreadNode

export type ScalarNode = {
  kind: 'scalar'
  at: number
  value: string | number | boolean | null
}
export type ListNode = { kind: 'list'; at: number; items: Node[] }
export type MapNode = {
  kind: 'map'
  at: number
  entries: Map<string, Entry>
  /** Something in it could not be read: a field that seems to be missing may be there. */
  isPartial: boolean
}
/** A value that was refused where it stands: nothing else is said of it. */
export type UnreadNode = { kind: 'unread'; at: number }

export type Entry = { keyAt: number; value: Node }

/** Notes a problem at an offset. */
export type Say = (at: number, message: string) => void

/** Whether the whole node could be read. */
export const isRead = (node: Node): boolean => {
  switch (node.kind) {
    case 'scalar':
      return true
    case 'unread':
      return false
    case 'list':
      return node.items.every(isRead)
    case 'map':
      return !node.isPartial && [...node.entries.values()].every(({ value }) => isRead(value))
    default:
      return node satisfies never
  }
}

/** The node as the value that a schema takes; what could not be read is undefined. */
export const valueOf = (node: Node): unknown => {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'unread':
      return undefined
    case 'list':
      return node.items.map(valueOf)
    case 'map':
      return Object.fromEntries(
        Array.from(node.entries, ([key, { value }]) => [key, valueOf(value)]),
      )
    default:
      return node satisfies never
  }
}
