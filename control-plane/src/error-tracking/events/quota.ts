/** Parts of a month's quota that are told of, in percent. */
export const quotaPercents = [80, 100] as const
export type QuotaPercent = (typeof quotaPercents)[number]

/** Which of `quotaPercents` an account has reached, lowest first. Pure. */
export const reachedPercents = (spent: number, quota: number): QuotaPercent[] =>
  quotaPercents.filter((percent) => spent * 100 >= quota * percent)

/** An account whose month reached a part of its quota. */
export type ReachedQuota = {
  accountId: string
  /** As `monthOf` writes it. */
  month: string
  percent: QuotaPercent
  spent: number
  quota: number
}

/** A month of UTC as counts are kept by it: its first day, such as `2026-11-01`. */
export const monthOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 7)}-01`

/** First instant of the month after the one of UTC that an instant is in, Unix milliseconds. */
export const nextMonthMs = (atMs: number): number => {
  const at = new Date(atMs)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
}
