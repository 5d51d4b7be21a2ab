import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { nextMonthMs, reachedPercents, type QuotaPercent, type ReachedQuota } from '../events/quota.ts'
import { quotaMail } from '../events/quota-mail.ts'
import type { Connection, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { mailMembers } from '@probe-mesh/control-plane/src/notifications/mail-members'

export type QuotaOptions = {
  quotaOf(tier: Tier): number
  /** Base of links in mails; null: no links. */
  publicUrl: string | null
  nowMs: number
}

/**
 * Locks the accounts of these projects until the transaction ends, so that concurrent transactions count one
 * after another and do not miss a threshold that they pass together. @returns the tiers by account id
 */
export const lockAccountsOf = async (
  tx: Transaction,
  projectIds: readonly string[],
): Promise<Map<string, Tier>> => {
  if (projectIds.length === 0) return new Map()
  const rows = await tx<{ id: string; tier: Tier }[]>`
    select id, tier from accounts
    where id in (select account_id from error_projects where id = any(${[...projectIds]}::uuid[]))
    order by id for no key update`
  return new Map(rows.map(({ id, tier }) => [id, tier]))
}

/**
 * Records the quota thresholds that these accounts reached, each once for all control planes, and queues the
 * mails to their users. An account that reaches several at once gets a mail for the highest one. A past month
 * gets no mail.
 * @param accounts locked, with their counts written
 * @returns the thresholds that are new
 */
export const recordReachedQuotas = async (
  tx: Transaction,
  accounts: ReadonlyMap<string, Tier>,
  months: readonly { accountId: string; month: string }[],
  options: QuotaOptions,
): Promise<ReachedQuota[]> => {
  const spent = await findSpent(tx, months)
  const reached = spent.flatMap(({ accountId, month, spent }): ReachedQuota[] => {
    const tier = accounts.get(accountId)
    if (tier === undefined) return []
    const quota = options.quotaOf(tier)
    return reachedPercents(spent, quota).map((percent) => ({
      accountId,
      month,
      percent,
      spent,
      quota,
    }))
  })
  const recorded = await insertNotices(tx, reached, options.nowMs)
  const toMail = recorded.filter(
    ({ month, ...one }) =>
      nextMonthMs(Date.parse(month)) > options.nowMs &&
      !recorded.some(
        (other) => other.accountId === one.accountId && other.month === month && other.percent > one.percent,
      ),
  )
  await insertQuotaMails(tx, toMail, options)
  return recorded
}

/** Without batches that are not counted yet: each calls this function when it is counted. */
const findSpent = async (
  tx: Transaction,
  months: readonly { accountId: string; month: string }[],
): Promise<{ accountId: string; month: string; spent: number }[]> => {
  if (months.length === 0) return []
  const rows = await tx<{ account_id: string; month: string; spent: string }[]>`
    select m."accountId" as account_id, m.month,
      (select coalesce(sum(events), 0) from error_counts c
        where c.account_id = m."accountId" and c.month = m.month::date and outcome = 'stored')
      + (select coalesce(sum(events), 0) from deleted_error_projects d
        where d.account_id = m."accountId" and d.month = m.month::date) as spent
    from jsonb_to_recordset(${tx.json([...months])}) as m ("accountId" uuid, month text)`
  return rows.map((row) => ({
    accountId: row.account_id,
    month: row.month,
    spent: Number(row.spent),
  }))
}

const insertNotices = async (
  tx: Transaction,
  reached: readonly ReachedQuota[],
  nowMs: number,
): Promise<ReachedQuota[]> => {
  if (reached.length === 0) return []
  const rows = await tx<{ account_id: string; month: string; percent: QuotaPercent }[]>`
    insert into error_quota_notices (account_id, month, percent, reached_at)
    select n."accountId", n.month, n.percent, ${new Date(nowMs)}::timestamptz
    from jsonb_to_recordset(${tx.json([...reached])}) as n ("accountId" uuid, month date,
      percent smallint)
    on conflict do nothing returning account_id, month::text as month, percent`
  const keys = new Set(rows.map((row) => `${row.account_id} ${row.month} ${row.percent}`))
  return reached.filter(({ accountId, month, percent }) => keys.has(`${accountId} ${month} ${percent}`))
}

const insertQuotaMails = async (
  tx: Transaction,
  toMail: readonly ReachedQuota[],
  { publicUrl, nowMs }: QuotaOptions,
): Promise<void> => {
  for (const reached of toMail) {
    const { accountId, month, percent } = reached
    const mail = {
      cause: `error_quota:${accountId}:${month}:${percent}`,
      message: quotaMail(reached, { publicUrl, nowMs }),
      // a new month resets the quota and makes the mail pointless
      expiresAtMs: nextMonthMs(Date.parse(month)),
    }
    await mailMembers(tx, accountId, mail, nowMs)
  }
}

/**
 * The number of accounts that reached each threshold in a month, in the whole database.
 * @param month in the format of `monthOf`
 */
export const countReachedQuotas = async (
  db: Connection,
  month: string,
): Promise<{ percent: QuotaPercent; accounts: number }[]> => [
  ...(await db<{ percent: QuotaPercent; accounts: number }[]>`
    select percent, count(*)::integer as accounts from error_quota_notices
    where month = ${month}::date group by percent`),
]
