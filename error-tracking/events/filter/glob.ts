/** Whether a text matches a pattern. */
export type Glob = (text: string) => boolean

/**
 * Compiles a pattern for the whole text. `*` matches any characters, including none and line ends; all other
 * characters match themselves, case-insensitive. Matching is linear in the length of the text for any
 * pattern.
 */
export const globOf = (pattern: string): Glob => {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const last = rest.pop()
  if (last === undefined) return (text) => text.toLowerCase() === first
  const parts = rest.filter((part) => part !== '').map(finderOf)
  return (text) => {
    const lower = text.toLowerCase()
    const end = lower.length - last.length
    if (end < first.length || !lower.startsWith(first) || !lower.endsWith(last)) return false
    let at = first.length
    for (const find of parts) {
      at = find(lower, at, end)
      if (at === -1) return false
    }
    return true
  }
}

/** The end of the first occurrence of a part between two positions, or -1. */
type Finder = (text: string, from: number, end: number) => number

/** Knuth-Morris-Pratt, which never goes back in the text. @param part not empty */
const finderOf = (part: string): Finder => {
  const units = Array.from({ length: part.length }, (_, index) => part.charCodeAt(index))
  /** For each position, the length of the longest prefix of the part that also ends there. */
  const borders: number[] = [0]
  for (let index = 1, length = 0; index < units.length; index++) {
    while (length > 0 && units[index] !== units[length]) length = borders[length - 1] ?? 0
    if (units[index] === units[length]) length++
    borders.push(length)
  }
  return (text, from, end) => {
    let matched = 0
    for (let at = from; at < end; at++) {
      const unit = text.charCodeAt(at)
      while (matched > 0 && unit !== units[matched]) matched = borders[matched - 1] ?? 0
      if (unit === units[matched]) matched++
      if (matched === units.length) return at + 1
    }
    return -1
  }
}
