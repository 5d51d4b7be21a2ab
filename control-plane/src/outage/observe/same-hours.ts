const hourMs = 3_600_000
const dayMs = 24 * hourMs
const daysMax = 7

/** The hour of the clock that an instant is in, on each of the seven days before. */
export const sameHours = (nowMs: number): number[] => {
  const hour = Math.floor(nowMs / hourMs) * hourMs
  return Array.from({ length: daysMax }, (_, day) => hour - (day + 1) * dayMs)
}
