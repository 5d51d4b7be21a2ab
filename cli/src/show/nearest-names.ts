const shownMax = 3
/** A name that differs in more than this share of its letters is another. */
const shareMax = 0.4

/** The names that somebody may have meant, the nearest first; capitals count for nothing. */
export const nearestNames = (given: string, names: readonly string[]): string[] => {
  const asked = given.toLowerCase()
  return [...new Set(names)]
    .flatMap((name) => {
      const edits = editsBetween(asked, name.toLowerCase())
      const isPart = asked !== '' && name.toLowerCase().includes(asked)
      const far = Math.max(asked.length, name.length) * shareMax
      return edits <= far || isPart ? [{ name, edits }] : []
    })
    .toSorted((one, other) => one.edits - other.edits)
    .slice(0, shownMax)
    .map(({ name }) => name)
}

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
const editsBetween = (one: string, other: string): number => {
  const far = Math.max(one.length, other.length)
  if (Math.abs(one.length - other.length) > far * shareMax) return far
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          (last[column] ?? far) + 1,
          (current[column - 1] ?? far) + 1,
          (last[column - 1] ?? far) + (isSame ? 0 : 1),
          isSwapped && row > 1 && column > 1 ? (before[column - 2] ?? far) + 1 : far,
        ),
      )
    }
    ;[before, last] = [last, current]
  }
  return last[other.length] ?? far
}
