/** A bounded map of recent entries. */
type Recent<T> = {
  get(name: string): T | undefined
  set(name: string, value: T): void
  delete(name: string): void
  /** The oldest first. */
  entries(): Iterable<[string, T]>
  readonly size: number
  /** Entries deleted because there were too many. */
  readonly dropped: number
}

/** @param sizeMax above it, the oldest half is deleted */
export const createRecent = <T>(sizeMax: number): Recent<T> => {
  const entries = new Map<string, T>()
  let dropped = 0
  /** Half of them at once: finding the first key of a map walks over all keys deleted before. */
  const forget = (): void => {
    for (const name of entries.keys()) {
      if (entries.size <= sizeMax / 2) return
      entries.delete(name)
      dropped += 1
    }
  }
  return {
    get: (name) => entries.get(name),
    set: (name, value) => {
      entries.set(name, value)
      if (entries.size > sizeMax) forget()
    },
    delete: (name) => void entries.delete(name),
    entries: () => entries.entries(),
    get size() {
      return entries.size
    },
    get dropped() {
      return dropped
    },
  }
}
