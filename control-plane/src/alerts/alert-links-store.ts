import { hash, randomBytes } from 'node:crypto'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import type { Receiver } from './receivers.ts'

/** How long the link of a mail acknowledges. */
const linkMs = 7 * 86_400_000

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/**
 * Stores a link for one receiver, as the hash of its token.
 * @param flipIds the flips that opened the alerts of the mail
 * @returns the token
 */
export const insertAlertLink = async (
  tx: Transaction,
  { id, accountId }: Receiver,
  { address, flipIds, nowMs }: { address: string; flipIds: readonly string[]; nowMs: number },
): Promise<string> => {
  const token = randomBytes(32).toString('base64url')
  await tx`
    insert into alert_links (token_hash, account_id, user_id, address, flip_ids, created_at, expires_at)
    values (${hashOf(token)}, ${accountId}, (select id from users where id = ${id}), ${address},
      ${[...flipIds]}::uuid[], ${new Date(nowMs)}, ${new Date(nowMs + linkMs)})`
  return token
}

export type AlertLinkRecord = {
  accountId: string
  userId: string | null
  address: string
  /** The name of the member, or the address. */
  name: string
  flipIds: string[]
  usedAtMs: number | null
  isSuspended: boolean
}

/** The valid link of a token, locked until the transaction ends; null for any other token. */
export const lockAlertLink = async (
  tx: Transaction,
  token: string,
  nowMs: number,
): Promise<AlertLinkRecord | null> => {
  const [row] = await tx<AlertLinkRecord[]>`
    select alert_links.account_id as "accountId", user_id as "userId", address,
      coalesce(users.name, users.email, address) as name, flip_ids as "flipIds",
      ${epochMs(tx, 'used_at')} as "usedAtMs", accounts.suspended_at is not null as "isSuspended"
    from alert_links join accounts on accounts.id = alert_links.account_id
      left join users on users.id = user_id
    where token_hash = ${hashOf(token)} and expires_at > ${new Date(nowMs)}
    for update of alert_links`
  return row ?? null
}

export const markLinkUsed = async (tx: Transaction, token: string, nowMs: number): Promise<void> => {
  await tx`update alert_links set used_at = ${new Date(nowMs)} where token_hash = ${hashOf(token)}`
}

/** Deletes expired links. @returns how many */
export const pruneAlertLinks = async (db: Connection, nowMs: number, limit: number): Promise<number> => {
  const { count } = await db`
    delete from alert_links where token_hash in (
      select token_hash from alert_links where expires_at <= ${new Date(nowMs)} limit ${limit})`
  return count
}
