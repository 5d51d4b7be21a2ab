import type { ChannelType } from '@probe-mesh/contracts/channel'
import type { ChannelMessage, MailMessage } from '../deliveries/message.ts'
import type { Circuit } from '../deliveries/next-try.ts'
import type { Connection, Sql } from './connect.ts'
import { isSuspended } from './suspended-accounts.ts'

/** A delivery that its claimant sends; it is given back, or settled, while the claim lasts. */
export type Claim = { id: string; attempts: number; expiresAtMs: number } & {
  claimedUntilMs: number
}
export type MailClaim = Claim & { kind: 'mail'; recipient: string; message: MailMessage }
export type ChannelClaim = Claim & {
  kind: 'channel'
  accountId: string
  channelId: string
  type: ChannelType
  credential: Uint8Array
  circuit: Circuit
  message: ChannelMessage
}

type ClaimRow = {
  id: string
  attempts: number
  expires_at: Date
  claimed_until: Date
}

const toClaim = (row: ClaimRow): Claim => ({
  id: row.id,
  attempts: row.attempts,
  expiresAtMs: row.expires_at.getTime(),
  claimedUntilMs: row.claimed_until.getTime(),
})

/** Claims mails that are due, the longest due first. @param options.held claims that the caller has already */
export const claimMails = async (
  sql: Sql,
  { limit, claimMs, held }: { limit: number; claimMs: number; held: readonly string[] },
  nowMs: number,
): Promise<MailClaim[]> => {
  const now = new Date(nowMs)
  const rows = await sql<(ClaimRow & { recipient: string; message: MailMessage })[]>`
    update deliveries set attempts = attempts + 1, claimed_until = ${new Date(nowMs + claimMs)}
    where id in (
      select id from deliveries
      where state = 'pending' and kind = 'mail' and next_attempt_at <= ${now} and expires_at > ${now}
        and (claimed_until is null or claimed_until <= ${now})
        and not id = any(${[...held]}::uuid[])
        and not ${isSuspended(sql, 'deliveries.account_id')}
      order by next_attempt_at limit ${limit}
      for update skip locked
    )
    returning id, attempts, expires_at, claimed_until, recipient, message`
  return rows.map((row) => ({
    ...toClaim(row),
    kind: 'mail',
    recipient: row.recipient,
    message: row.message,
  }))
}

/**
 * Claims the first message of channels that are due: one of a channel at a time, so that its messages
 * stay in order and a slow channel holds up nobody but itself. It goes through the index from channel to
 * channel: 20,000 messages of 200 channels cost about 10 ms instead of 60.
 * @param options.held claims that the caller has already: a clock that jumps makes none of them another's
 * @param options.perAccountMax channels of one account that a claim takes at most
 * @param options.fullAccounts accounts that have enough in flight
 */
export const claimChannelDeliveries = async (
  sql: Sql,
  options: {
    limit: number
    claimMs: number
    held: readonly string[]
    perAccountMax: number
    fullAccounts: readonly string[]
  },
  nowMs: number,
): Promise<ChannelClaim[]> => {
  const now = new Date(nowMs)
  type Row = ClaimRow & {
    account_id: string
    channel_id: string
    type: ChannelType
    credential: Uint8Array
    failures: number
    open_until: Date | null
    message: ChannelMessage
  }
  const rows = await sql<Row[]>`
    with recursive heads as (
      (
        select id, account_id, channel_id, sequence, next_attempt_at, expires_at
        from deliveries where state = 'pending' and channel_id is not null
        order by channel_id, sequence limit 1
      )
      union all
      select following.* from heads cross join lateral (
        select id, account_id, channel_id, sequence, next_attempt_at, expires_at
        from deliveries where state = 'pending' and channel_id > heads.channel_id
        order by channel_id, sequence limit 1
      ) as following
    ), due as (
      select heads.id, heads.next_attempt_at, row_number() over (
        partition by heads.account_id order by heads.next_attempt_at, heads.sequence) as place
      from heads join notification_channels on notification_channels.id = heads.channel_id
      where heads.next_attempt_at <= ${now} and heads.expires_at > ${now}
        and (notification_channels.open_until is null or notification_channels.open_until <= ${now})
        and not heads.id = any(${[...options.held]}::uuid[])
        and not heads.account_id = any(${[...options.fullAccounts]}::uuid[])
        and not ${isSuspended(sql, 'heads.account_id')}
        and not exists (
          select from deliveries where channel_id = heads.channel_id and state = 'pending'
            and claimed_until is not null and claimed_until > ${now})
    ), chosen as (
      select id from deliveries
      where id in (
          select id from due where place <= ${options.perAccountMax}
          order by next_attempt_at limit ${options.limit}
        )
        and state = 'pending' and (claimed_until is null or claimed_until <= ${now})
      for update skip locked
    ), claimed as (
      update deliveries set attempts = attempts + 1,
        claimed_until = ${new Date(nowMs + options.claimMs)}
      where id in (select id from chosen)
      returning id, account_id, channel_id, attempts, expires_at, claimed_until, message, sequence
    )
    select claimed.*, notification_channels.type, notification_channels.credential,
      notification_channels.failures, notification_channels.open_until
    from claimed join notification_channels on notification_channels.id = claimed.channel_id
    order by claimed.sequence`
  return rows.map((row) => ({
    ...toClaim(row),
    kind: 'channel',
    accountId: row.account_id,
    channelId: row.channel_id,
    type: row.type,
    credential: row.credential,
    circuit: {
      failures: row.failures,
      openUntilMs: row.open_until === null ? null : row.open_until.getTime(),
    },
    message: row.message,
  }))
}

/**
 * Notes that a message was taken. True whoever has the claim by now: a receiver that took it keeps
 * others from sending it again.
 */
export const settleDelivered = async (
  connection: Connection,
  id: string,
  nowMs: number,
): Promise<void> => {
  await connection`
    with settled as (
      update deliveries set state = 'delivered', delivered_at = ${new Date(nowMs)},
        claimed_until = null, last_error = null
      where id = ${id} and state = 'pending'
      returning channel_id
    )
    update notification_channels set failures = 0, open_until = null
    where id in (select channel_id from settled) and failures > 0`
}

/**
 * Notes a try that failed, and the channel's circuit after it; nothing where the claim has passed to
 * somebody else.
 */
export const settleFailed = async (
  connection: Connection,
  claim: Pick<Claim, 'id' | 'attempts' | 'claimedUntilMs'>,
  next: { state: 'pending'; atMs: number } | { state: 'dead' },
  { detail, circuit }: { detail: string; circuit: Circuit },
): Promise<void> => {
  const at = next.state === 'pending' ? new Date(next.atMs) : null
  const until = circuit.openUntilMs === null ? null : new Date(circuit.openUntilMs)
  await connection`
    with settled as (
      update deliveries set state = ${next.state}, claimed_until = null, last_error = ${detail},
        next_attempt_at = coalesce(${at}::timestamptz, next_attempt_at)
      where id = ${claim.id} and state = 'pending' and attempts = ${claim.attempts}
        and claimed_until = ${new Date(claim.claimedUntilMs)}
      returning channel_id
    )
    update notification_channels set failures = ${circuit.failures}, open_until = ${until}
    where id in (select channel_id from settled)`
}

/** Gives a delivery back as if it had not been claimed. */
export const giveBack = async (
  connection: Connection,
  claim: Pick<Claim, 'id' | 'attempts' | 'claimedUntilMs'>,
): Promise<void> => {
  await connection`
    update deliveries set claimed_until = null, attempts = attempts - 1
    where id = ${claim.id} and state = 'pending' and attempts = ${claim.attempts}
      and claimed_until = ${new Date(claim.claimedUntilMs)}`
}
