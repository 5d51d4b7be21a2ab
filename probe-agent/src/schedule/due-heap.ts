/**
 * Finds the entry that is due next: a binary heap of entry numbers over a table of due times, both
 * typed arrays, so that 100,000 entries create no garbage. Entries with the same due time are
 * ordered by number.
 */
export type DueHeap = {
  /** Sets the due time of an entry. Entries are small integers from 0. */
  set(entry: number, due: number): void
  remove(entry: number): void
  /** The entry that is due first, or -1. */
  first(): number
  /** When an entry of the heap is due. */
  dueAt(entry: number): number
  readonly size: number
}

type HeapState = { heap: Int32Array; position: Int32Array; due: Float64Array; size: number }

const absent = -1

export const createDueHeap = (capacity = 1_024): DueHeap => {
  const state: HeapState = {
    heap: new Int32Array(capacity),
    position: new Int32Array(capacity).fill(absent),
    due: new Float64Array(capacity),
    size: 0,
  }
  const positionOf = (entry: number): number => state.position[entry] ?? absent

  return {
    set: (entry, due) => {
      if (entry >= state.due.length) grow(state, entry + 1)
      let at = positionOf(entry)
      if (at === absent) {
        at = state.size++
        place(state, at, entry)
      }
      state.due[entry] = due
      siftDown(state, siftUp(state, at))
    },
    remove: (entry) => {
      const at = positionOf(entry)
      if (at === absent) return
      state.position[entry] = absent
      const moved = entryAt(state, --state.size)
      if (moved === entry) return
      place(state, at, moved)
      siftDown(state, siftUp(state, at))
    },
    first: () => (state.size === 0 ? absent : entryAt(state, 0)),
    dueAt: (entry) => state.due[entry] ?? Number.POSITIVE_INFINITY,
    get size() {
      return state.size
    },
  }
}

const grow = (state: HeapState, needed: number): void => {
  const capacity = Math.max(needed, state.due.length * 2)
  const { heap, position, due } = state
  state.heap = new Int32Array(capacity)
  state.heap.set(heap)
  state.position = new Int32Array(capacity).fill(absent)
  state.position.set(position)
  state.due = new Float64Array(capacity)
  state.due.set(due)
}

const entryAt = (state: HeapState, at: number): number => state.heap[at] ?? absent

const place = (state: HeapState, at: number, entry: number): void => {
  state.heap[at] = entry
  state.position[entry] = at
}

const isBefore = (state: HeapState, a: number, b: number): boolean => {
  const dueA = state.due[a] ?? 0
  const dueB = state.due[b] ?? 0
  return dueA < dueB || (dueA === dueB && a < b)
}

const siftUp = (state: HeapState, from: number): number => {
  const entry = entryAt(state, from)
  let at = from
  while (at > 0) {
    const parentAt = (at - 1) >> 1
    const parent = entryAt(state, parentAt)
    if (!isBefore(state, entry, parent)) break
    place(state, at, parent)
    at = parentAt
  }
  place(state, at, entry)
  return at
}

const siftDown = (state: HeapState, from: number): void => {
  const entry = entryAt(state, from)
  let at = from
  for (;;) {
    let childAt = 2 * at + 1
    if (childAt >= state.size) break
    const rightAt = childAt + 1
    if (rightAt < state.size && isBefore(state, entryAt(state, rightAt), entryAt(state, childAt))) {
      childAt = rightAt
    }
    const child = entryAt(state, childAt)
    if (!isBefore(state, child, entry)) break
    place(state, at, child)
    at = childAt
  }
  place(state, at, entry)
}
