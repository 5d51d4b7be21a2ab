/** Where a place of a built file comes from. */
export type OriginalPlace = {
  file: string
  line: number
  column: number
  /** The function that is called there; null where that is none, or cannot be seen. */
  callee: string | null
  /** The line of source, and some before and after it; null where the map has no sources. */
  source: { line: string; before: string[]; after: string[] } | null
  /** Whether the source defines the function by its name in the bundle, at this line or above. */
  isNamed: boolean
}

/** A source map that was read. */
export type OriginalPlaces = {
  /**
   * Where a place of the built file, from 1, comes from.
   * @param name of the function that it is in, as the bundle has it
   */
  find(line: number, column: number, name: string | null): OriginalPlace | null
}

/** Why a frame that names a built file stays as it came. */
export type Unresolved = 'missing' | 'broken' | 'unmapped' | 'bound'

export const unresolvedWords: Readonly<Record<Unresolved, string>> = {
  missing: 'no source map of this debug id had been uploaded when the event was stored',
  broken: 'the source map of this debug id cannot be read',
  unmapped: 'the source map says nothing of this place',
  bound: 'too many source maps were needed at once',
}
