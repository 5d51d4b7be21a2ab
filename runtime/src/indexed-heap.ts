/** The index of an item in its heap; -1 outside a heap. Only the heap changes it. */
export type InHeap = { at: number }

/** A heap of items whose order changes. Reading the first is O(1), a change is O(log n). */
type IndexedHeap<T extends InHeap> = {
  readonly first: T | undefined
  /** Inserts an item, or moves it after its order changed. */
  update(item: T): void
  /** Removes an item if present. */
  delete(item: T): void
}

export const createIndexedHeap = <T extends InHeap>(
  isBefore: (one: T, other: T) => boolean,
): IndexedHeap<T> => {
  const items: T[] = []

  const put = (item: T, at: number): void => {
    items[at] = item
    item.at = at
  }
  const siftUp = (item: T): void => {
    let at = item.at
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = items[above]
      if (parent === undefined || !isBefore(item, parent)) break
      put(parent, at)
      at = above
    }
    put(item, at)
  }
  const siftDown = (item: T): void => {
    let at = item.at
    for (;;) {
      const below = 2 * at + 1
      const left = items[below]
      if (left === undefined) break
      const right = items[below + 1]
      const child = right !== undefined && isBefore(right, left) ? right : left
      if (!isBefore(child, item)) break
      const from = child.at
      put(child, at)
      at = from
    }
    put(item, at)
  }
  return {
    get first() {
      return items[0]
    },
    update: (item) => {
      if (item.at === -1) put(item, items.length)
      siftUp(item)
      siftDown(item)
    },
    delete: (item) => {
      const { at } = item
      if (at === -1) return
      const last = items.pop()
      item.at = -1
      if (last === undefined || last === item) return
      put(last, at)
      siftUp(last)
      siftDown(last)
    },
  }
}
