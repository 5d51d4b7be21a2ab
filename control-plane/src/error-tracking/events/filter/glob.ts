/** Whether a text is one that a pattern stands for. */
export type Glob = (text: string) => boolean

/**
 * A pattern in which a star stands for anything, also for nothing and for line ends, and every other
 * character for itself in any case. It covers the whole text. Matching takes steps by the length of the
 * text alone, whatever the pattern: nobody's pattern and nobody's text make it slow. Pure.
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

/** Finds where a part ends that stands first between two places, or -1. */
type Finder = (text: string, from: number, end: number) => number

/** By Knuth, Morris and Pratt, which never looks back in the text. @param part not empty */
const finderOf = (part: string): Finder => {
  const units = Array.from({ length: part.length }, (_, index) => part.charCodeAt(index))
  /** How much of the part's beginning also ends at a place. */
  const borders: number[] = [0]
  for (let index = 1, length = 0; index < units.length; index++) {
    while (length > 0 && units[index] !== units[length]) length = borders[length - 1] ?? 0
    if (units[index] === units[length]) length++
    borders.push(length)
  }
  return (text, from, end) => {
    let held = 0
    for (let at = from; at < end; at++) {
      const unit = text.charCodeAt(at)
      while (held > 0 && unit !== units[held]) held = borders[held - 1] ?? 0
      if (unit === units[held]) held++
      if (held === units.length) return at + 1
    }
    return -1
  }
}
