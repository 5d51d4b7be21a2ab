const kinds = {
  own: (names: string) => `Headers that the probe sends in its own way, or not at all: ${names}.`,
  browser: (names: string) => `Headers of the browser are left out: ${names}.`,
  cache: (names: string) =>
    `Headers of the browser's cache are left out, so that answers are whole: ${names}.`,
  cookies: (names: string) =>
    `Cookies that no answer in the file set are left out, because their names are none of a session: ${names}.`,
  twice: (names: string) => `Headers that were sent twice are sent once, as one list: ${names}.`,
  empty: (names: string) => `Headers without a value are left out: ${names}.`,
  escaped: (names: string) =>
    `Fields whose values are written with other escapes, which mean the same: ${names}.`,
} as const

/** What a check does otherwise than the input says: each kind is one sentence, with all names of its kind. */
export type Notes = {
  add(text: string): void
  of(kind: keyof typeof kinds, name: string): void
  /** In the order in which they came, each once. */
  list(): string[]
}

export const createNotes = (): Notes => {
  const all = new Map<string, Set<string>>()
  const namesOf = (key: string): Set<string> => all.get(key) ?? all.set(key, new Set()).get(key) ?? new Set()
  return {
    add: (text) => void namesOf(text),
    of: (kind, name) => void namesOf(kind).add(name.toLowerCase()),
    list: () =>
      [...all].map(([key, names]) =>
        key in kinds ? kinds[key as keyof typeof kinds]([...names].join(', ')) : key,
      ),
  }
}
