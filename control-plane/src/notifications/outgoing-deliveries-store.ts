import type { ChannelType } from '@probe-mesh/contracts/channel/channel'
import type { ChannelMessage, MailMessage } from './message.ts'
import type { Circuit } from './next-try.ts'
import type { Connection } from '../stores/postgres/connect.ts'

/** A delivery that its claimant sends; it is given back, or settled, while the claim lasts. */
export type Claim = { id: string; attempts: number; expiresAtMs: number } & {
  claimedUntilMs: number
}
/** Whether a message waits behind others: to a slow channel, or news for subscribers. */
type Lane = { isLater: boolean }
export type MailClaim = Claim & Lane & { kind: 'mail'; recipient: string; message: MailMessage }
export type ChannelClaim = Claim &
  Lane & {
    kind: 'channel'
    accountId: string
    /** Whether the account is the one that the operator made at the first start. */
    isOperators: boolean
    channelId: string
    type: ChannelType
    credential: Uint8Array
    circuit: Circuit
    message: ChannelMessage
  }

/**
 * Notes that a message was taken. True whoever has the claim by now: a receiver that took it keeps
 * others from sending it again.
 * @param slow whether the receiver took long
 */
export const settleDelivered = async (
  db: Connection,
  id: string,
  slow: boolean,
  nowMs: number,
): Promise<void> => {
  await db`
    with settled as (
      update deliveries set state = 'delivered', delivered_at = ${new Date(nowMs)},
        claimed_until = null, last_error = null
      where id = ${id} and state = 'pending'
      returning channel_id
    )
    update notification_channels set failures = 0, open_until = null, slow = ${slow}
    where id in (select channel_id from settled) and (failures > 0 or slow <> ${slow})`
}

/**
 * Notes a try that failed, and the channel's circuit after it; nothing where the claim has passed to
 * somebody else.
 */
export const settleFailed = async (
  db: Connection,
  claim: Pick<Claim, 'id' | 'attempts' | 'claimedUntilMs'>,
  next: { state: 'pending'; atMs: number } | { state: 'dead' },
  { detail, circuit, slow }: { detail: string; circuit: Circuit; slow: boolean },
): Promise<void> => {
  const at = next.state === 'pending' ? new Date(next.atMs) : null
  const until = circuit.openUntilMs === null ? null : new Date(circuit.openUntilMs)
  await db`
    with settled as (
      update deliveries set state = ${next.state}, claimed_until = null, last_error = ${detail},
        next_attempt_at = coalesce(${at}::timestamptz, next_attempt_at)
      where id = ${claim.id} and state = 'pending' and attempts = ${claim.attempts}
        and claimed_until = ${new Date(claim.claimedUntilMs)}
      returning channel_id
    )
    update notification_channels
    set failures = ${circuit.failures}, open_until = ${until}, slow = ${slow}
    where id in (select channel_id from settled)`
}

/** Gives a delivery back as if it had not been claimed. */
export const giveBack = async (
  db: Connection,
  claim: Pick<Claim, 'id' | 'attempts' | 'claimedUntilMs'>,
): Promise<void> => {
  await db`
    update deliveries set claimed_until = null, attempts = attempts - 1
    where id = ${claim.id} and state = 'pending' and attempts = ${claim.attempts}
      and claimed_until = ${new Date(claim.claimedUntilMs)}`
}
