/** A position, both from 1; columns count UTF-16 units, like editors. */
export type Position = { line: number; column: number }

/** The offset of each line start. Lines end with a line feed, as in YAML and JSON. */
export const lineStarts = (text: string): number[] => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** @returns the position of an offset, by bisection */
export const positionOf = (starts: readonly number[], offset: number): Position => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}

/** The text without its byte order mark, which has no column. */
export const withoutByteOrderMark = (text: string): string =>
  text.startsWith('\ufeff') ? text.slice(1) : text
