/** Where something stands, both from 1; columns count UTF-16 units, as editors do. */
export type Place = { line: number; column: number }

/** The offset of each line's first character. Lines end with a line feed, as in YAML and JSON. */
export const lineStarts = (text: string): number[] => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** @returns the place of an offset, by bisection */
export const placeOf = (starts: readonly number[], offset: number): Place => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}

/** The text as positions count it: a byte order mark has no column. */
export const withoutMark = (text: string): string =>
  text.startsWith('\ufeff') ? text.slice(1) : text
