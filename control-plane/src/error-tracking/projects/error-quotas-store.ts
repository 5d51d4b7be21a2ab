import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { DeliveryDraft } from '../../notifications/delivery-record.ts'
import { nextMonthMs, reachedPercents } from '../events/quota.ts'
import { quotaMail } from '../events/quota-mail.ts'
import type { QuotaPercent, ReachedQuota } from '../events/quota.ts'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'
import { insertDeliveries } from '../../notifications/deliveries-store.ts'

/** What a quota is, and what is said of it. */
export type QuotaTerms = {
  quotaOf(tier: Tier): number
  /** Where letters lead; null: nowhere. */
  publicUrl: string | null
  nowMs: number
}

/**
 * Tiers of the accounts that have these projects. They stay locked until the transaction ends: of two
 * that count for one account the second one sees what the first did, so that none of them misses a
 * border that they pass together.
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
 * Notes which parts of their months these accounts have reached, each once however many control planes
 * there are, and writes the letters to their users with it. One that reaches several at once is told of
 * the highest; of a month that is over nobody is told.
 * @param accounts locked; their counts are written
 * @returns what was noted now
 */
export const noteQuotas = async (
  tx: Transaction,
  accounts: ReadonlyMap<string, Tier>,
  months: readonly { accountId: string; month: string }[],
  terms: QuotaTerms,
): Promise<ReachedQuota[]> => {
  const spent = await findSpent(tx, months)
  const reached = spent.flatMap(({ accountId, month, spent }): ReachedQuota[] => {
    const tier = accounts.get(accountId)
    if (tier === undefined) return []
    const quota = terms.quotaOf(tier)
    return reachedPercents(spent, quota).map((percent) => ({
      accountId,
      month,
      percent,
      spent,
      quota,
    }))
  })
  const noted = await insertNotices(tx, reached, terms.nowMs)
  const told = noted.filter(
    ({ month, ...one }) =>
      nextMonthMs(Date.parse(month)) > terms.nowMs &&
      !noted.some(
        (other) => other.accountId === one.accountId && other.month === month && other.percent > one.percent,
      ),
  )
  await writeLetters(tx, told, terms)
  return noted
}

/** Without what batches hold that are not counted yet: they come here as well. */
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

const writeLetters = async (
  tx: Transaction,
  told: readonly ReachedQuota[],
  { publicUrl, nowMs }: QuotaTerms,
): Promise<void> => {
  if (told.length === 0) return
  const accountIds = told.map(({ accountId }) => accountId)
  const users = await tx<{ id: string; account_id: string; email: string }[]>`
    select id, account_id, email from users where account_id = any(${accountIds}::uuid[]) order by id`
  const drafts = told.flatMap((reached) =>
    users
      .filter((user) => user.account_id === reached.accountId)
      .map(({ id, email }): DeliveryDraft => ({
        kind: 'mail',
        accountId: reached.accountId,
        cause: `error_quota:${reached.accountId}:${reached.month}:${reached.percent}:${id}`,
        recipient: email,
        message: quotaMail(reached, { publicUrl, nowMs }),
        // then the quota begins anew, and nobody needs to know
        expiresAtMs: nextMonthMs(Date.parse(reached.month)),
      })),
  )
  await insertDeliveries(tx, drafts, nowMs)
}

/**
 * How many accounts reached each part of a month, in the whole database.
 * @param month as `monthOf` writes it
 */
export const countReachedQuotas = async (
  db: Connection,
  month: string,
): Promise<{ percent: QuotaPercent; accounts: number }[]> => [
  ...(await db<{ percent: QuotaPercent; accounts: number }[]>`
    select percent, count(*)::integer as accounts from error_quota_notices
    where month = ${month}::date group by percent`),
]
