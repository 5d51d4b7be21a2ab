const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** `2 h 5 min`: the two largest units; below a minute in seconds. */
export const durationText = (ms: number): string => {
  const parts: string[] = []
  let rest = Math.round(ms / 1000) * 1000
  for (const [name, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${name}`)
  }
  if (rest > 0 || parts.length === 0) parts.push(`${Math.max(1, rest / 1000)} s`)
  return parts.slice(0, 2).join(' ')
}
