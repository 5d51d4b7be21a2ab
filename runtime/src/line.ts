/** A queue in order of arrival. Removing any work costs amortized O(1). */
export type Line<T extends object> = {
  readonly size: number
  push(work: T): void
  readonly first: T | undefined
  readonly last: T | undefined
  /** @returns false when it is not in the queue */
  delete(work: T): boolean
}

/** Removed works that stay in the array until the next clean-up. */
const slack = 64

export const createLine = <T extends object>(): Line<T> => {
  const present = new Set<T>()
  let works: T[] = []
  let head = 0

  const isGone = (work: T | undefined): boolean => work !== undefined && !present.has(work)
  const tidy = (): void => {
    while (isGone(works[head])) head++
    while (works.length > head && isGone(works.at(-1))) works.pop()
    if (present.size > 0 && works.length <= 2 * present.size + slack) return
    works = works.slice(head).filter((work) => present.has(work))
    head = 0
  }
  return {
    get size() {
      return present.size
    },
    get first() {
      return works[head]
    },
    get last() {
      return works[works.length - 1]
    },
    push: (work) => {
      present.add(work)
      works.push(work)
    },
    delete: (work) => {
      const left = present.delete(work)
      if (left) tidy()
      return left
    },
  }
}
