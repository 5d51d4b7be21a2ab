const unitSeconds: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3_600,
}
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy

/** Seconds of a duration as Go writes it, such as `90s` or `1h30m`. @returns null for other text */
export const durationSeconds = (text: string): number | null => {
  if (text === '0') return 0
  if (text === '' || text.length > 100) return null
  let seconds = 0
  let end = 0
  for (const match of text.matchAll(part)) {
    seconds += Number(match[1]) * (unitSeconds[match[2] ?? ''] ?? 0)
    end = match.index + match[0].length
  }
  // sums of tenths and thousandths, without what binary fractions add
  return end === text.length ? Number(seconds.toPrecision(12)) : null
}
