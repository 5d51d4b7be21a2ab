/** What is remembered of names that were noted lately. */
export type Recent<T> = {
  get(name: string): T | undefined
  set(name: string, value: T): void
  delete(name: string): void
}

/** @param sizeMax beyond it the half that was noted longest ago is forgotten */
export const createRecent = <T>(sizeMax: number): Recent<T> => {
  const noted = new Map<string, T>()
  /** Half of them at once: to find the first of a map walks over all that were deleted before. */
  const forget = (): void => {
    for (const name of noted.keys()) {
      if (noted.size <= sizeMax / 2) return
      noted.delete(name)
    }
  }
  return {
    get: (name) => noted.get(name),
    set: (name, value) => {
      noted.set(name, value)
      if (noted.size > sizeMax) forget()
    },
    delete: (name) => void noted.delete(name),
  }
}
