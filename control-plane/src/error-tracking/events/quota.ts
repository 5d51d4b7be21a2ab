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
