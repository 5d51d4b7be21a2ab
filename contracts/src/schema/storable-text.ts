/**
 * The databases cannot store NUL or half of a surrogate pair, which JSON can contain and UTF-8 cannot (RFC 7493 2.1).
 * They are refused in any field, so that texts are stored unchanged.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000')

export const unstorableMessage = 'must not contain NUL or half of a surrogate pair'

/** The paths of all texts of a value that cannot be stored. @param depthMax deeper fields are unknown fields */
export const unstorableTexts = (
  value: unknown,
  depthMax: number,
  path: readonly PropertyKey[] = [],
): (readonly PropertyKey[])[] => {
  if (typeof value === 'string') return isStorable(value) ? [] : [path]
  if (typeof value !== 'object' || value === null || path.length === depthMax) return []
  return Array.isArray(value)
    ? value.flatMap((part, index) => unstorableTexts(part, depthMax, [...path, index]))
    : Object.entries(value).flatMap(([key, part]) => unstorableTexts(part, depthMax, [...path, key]))
}
