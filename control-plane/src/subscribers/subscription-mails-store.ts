import type { Connection, Transaction } from '../stores/postgres/connect.ts'

const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10)

/** Whether a user of the account has confirmed an address. */
export const hasConfirmedUser = async (db: Connection, accountId: string): Promise<boolean> => {
  const rows = await db`
    select from users where account_id = ${accountId} and confirmed_at is not null limit 1`
  return rows.length > 0
}

/** Confirmed subscriptions to an account's pages, and to any pages at a domain; each up to a bound. */
export const countConfirmed = async (
  db: Connection,
  { accountId, domain, countedMax }: { accountId: string; domain: string; countedMax: number },
): Promise<{ ofAccount: number; ofDomain: number }> => {
  const [row] = await db<{ ofAccount: number; ofDomain: number }[]>`
    select
      (select count(*)::integer from (
        select from subscribers where confirmed_at is not null and status_page_id = any(
          array(select id from status_pages where account_id = ${accountId}))
        limit ${countedMax}) as counted) as "ofAccount",
      (select count(*)::integer from (
        select from subscribers where domain = ${domain} and confirmed_at is not null
        limit ${countedMax}) as counted) as "ofDomain"`
  return row ?? { ofAccount: 0, ofDomain: 0 }
}

/** Counts the outcome of a subscription request for an account today. */
export const countSubscriptionMail = async (
  db: Connection,
  accountId: string,
  outcome: string,
  nowMs: number,
): Promise<void> => {
  await db`
    insert into subscription_mails (account_id, day, outcome, count)
    values (${accountId}, ${dayOf(nowMs)}, ${outcome}, 1)
    on conflict (account_id, day, outcome) do update set count = subscription_mails.count + 1`
}

/** The limits that a mail counts towards: its account, its domain, and the network of the request. */
export type MailCounts = { accountId: string; domain: string; network: string }

const sharesOf = ({ domain, network }: MailCounts) => ({
  ofDomain: `domain ${domain}`,
  ofNetwork: `network ${network}`,
})

/**
 * The mails of today for an account, to a domain, of the account to the domain, and of the account for a
 * network. The counts are locked until the transaction ends.
 */
export const lockMailsOfDay = async (
  tx: Transaction,
  counts: MailCounts,
  nowMs: number,
): Promise<{
  ofAccount: number
  ofDomain: number
  ofAccountAtDomain: number
  ofAccountAndNetwork: number
}> => {
  const { accountId, domain } = counts
  const day = dayOf(nowMs)
  await tx`
    insert into subscription_mails (account_id, day, outcome, count)
    values (${accountId}, ${day}, 'asked', 0) on conflict do nothing`
  await tx`
    insert into subscription_domains (domain, day, count)
    values (${domain}, ${day}, 0) on conflict do nothing`
  const [ofAccount] = await tx<{ count: number }[]>`
    select count from subscription_mails
    where account_id = ${accountId} and day = ${day} and outcome = 'asked' for update`
  const [ofDomain] = await tx<{ count: number }[]>`
    select count from subscription_domains where domain = ${domain} and day = ${day} for update`
  const shares = sharesOf(counts)
  const found = await tx<{ share: string; count: number }[]>`
    select share, count from subscription_shares
    where account_id = ${accountId} and day = ${day}
      and share in (${shares.ofDomain}, ${shares.ofNetwork})`
  const ofShare = (named: string): number => found.find(({ share }) => share === named)?.count ?? 0
  return {
    ofAccount: ofAccount?.count ?? 0,
    ofDomain: ofDomain?.count ?? 0,
    ofAccountAtDomain: ofShare(shares.ofDomain),
    ofAccountAndNetwork: ofShare(shares.ofNetwork),
  }
}

/** Counts a mail for domain and network, in the transaction that locked the day. */
export const countMail = async (tx: Transaction, counts: MailCounts, nowMs: number): Promise<void> => {
  const day = dayOf(nowMs)
  const { ofDomain, ofNetwork } = sharesOf(counts)
  await tx`
    update subscription_domains set count = count + 1
    where domain = ${counts.domain} and day = ${day}`
  await tx`
    insert into subscription_shares (account_id, day, share, count)
    values (${counts.accountId}, ${day}, ${ofDomain}, 1), (${counts.accountId}, ${day}, ${ofNetwork}, 1)
    on conflict (account_id, day, share) do update set count = subscription_shares.count + 1`
}

/** The outcomes of subscription requests for an account today. */
export const findSubscriptionMails = async (
  db: Connection,
  accountId: string,
  nowMs: number,
): Promise<{ outcome: string; count: number }[]> =>
  await db<{ outcome: string; count: number }[]>`
    select outcome, count from subscription_mails
    where account_id = ${accountId} and day = ${dayOf(nowMs)} and count > 0 order by outcome`

const daysKept = 2
const dayMs = 86_400_000

/** Deletes the counts of past days. */
export const pruneSubscriptionMails = async (db: Connection, nowMs: number): Promise<void> => {
  const before = dayOf(nowMs - daysKept * dayMs)
  await db`delete from subscription_mails where day < ${before}`
  await db`delete from subscription_domains where day < ${before}`
  await db`delete from subscription_shares where day < ${before}`
}
