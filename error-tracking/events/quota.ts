/** The thresholds of a monthly quota that cause a mail, in percent. */
export const quotaPercents = [80, 100] as const
export type QuotaPercent = (typeof quotaPercents)[number]

/** The reached thresholds, lowest first. */
export const reachedPercents = (spent: number, quota: number): QuotaPercent[] =>
  quotaPercents.filter((percent) => spent * 100 >= quota * percent)

/** A threshold that an account reached in a month. */
export type ReachedQuota = {
  accountId: string
  /** In the format of `monthOf`. */
  month: string
  percent: QuotaPercent
  spent: number
  quota: number
}

/** The UTC month of an instant, as its first day, such as `2026-11-01`. */
export const monthOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 7)}-01`

/** The start of the next UTC month, Unix milliseconds. */
export const nextMonthMs = (atMs: number): number => {
  const at = new Date(atMs)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
}
