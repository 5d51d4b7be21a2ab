/**
 * The number of letters to insert, delete, replace or swap with a neighbour to turn one text into the other
 * (Damerau-Levenshtein, optimal string alignment), up to a limit.
 * @param max the largest distance of interest
 * @returns the distance, or `max + 1` for anything above
 */
export const editDistance = (left: string, right: string, max: number): number => {
  const far = max + 1
  if (Math.abs(left.length - right.length) > max) return far
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= right.length; column++) {
      const distance = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1),
        isSwapped(left, row, right, column) ? at(beforeLast, column - 2) + 1 : far,
      )
      current.push(distance)
      least = Math.min(least, distance)
    }
    if (least > max) return far
    ;[beforeLast, last] = [last, current]
  }
  return Math.min(at(last, right.length), far)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity

const isSwapped = (left: string, row: number, right: string, column: number): boolean =>
  row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]

/**
 * The letters of a text as a set of 32 bits. One edit changes at most two of them, so texts whose sets differ
 * by more than twice the allowed edits need no further comparison.
 */
export const letterSet = (text: string): number => {
  let set = 0
  for (let index = 0; index < text.length; index++) set |= 1 << (text.charCodeAt(index) & 31)
  return set
}

/** The number of bits in which two sets differ. */
export const lettersApart = (left: number, right: number): number => {
  let apart = left ^ right
  let count = 0
  while (apart !== 0) {
    apart &= apart - 1
    count++
  }
  return count
}
