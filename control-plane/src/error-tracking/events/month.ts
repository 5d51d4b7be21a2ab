/** A month of UTC as counts are kept by it: its first day, such as `2026-11-01`. */
export const monthOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 7)}-01`

/** First instant of the month after the one of UTC that an instant is in, Unix milliseconds. */
export const nextMonthMs = (atMs: number): number => {
  const at = new Date(atMs)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
}
