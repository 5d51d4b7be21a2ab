import type { ChannelType } from '@probe-mesh/contracts/channel/channel'
import type { ChannelMessage } from './channels/forms/message.ts'
import type { MailMessage } from './mail/mail.ts'
import type { Circuit } from './next-attempt.ts'
import type { Connection } from '../stores/postgres/connect.ts'

/** A claimed delivery. Its claimant releases it or records the result before the claim expires. */
export type Claim = { id: string; attempts: number; expiresAtMs: number } & {
  claimedUntilMs: number
}
/** Whether other messages go first: set for slow channels and for news to subscribers. */
type Priority = { isLater: boolean }
export type MailClaim = Claim & Priority & { kind: 'mail'; recipient: string; message: MailMessage }
export type ChannelClaim = Claim &
  Priority & {
    kind: 'channel'
    accountId: string
    /** Whether the account was created at the first start. */
    isOperators: boolean
    channelId: string
    type: ChannelType
    credential: Uint8Array
    circuit: Circuit
    message: ChannelMessage
  }

/**
 * Records a delivered message, even when another process holds the claim by now, so that nothing sends it
 * again.
 * @param slow whether the receiver was slow
 */
export const recordDelivered = async (
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
    ),
    noted as (
      update alerted_checks set delivered_at = ${new Date(nowMs)} where delivery_id = ${id}
    )
    update notification_channels set failures = 0, open_until = null, slow = ${slow},
      failing_since = null, failing_detail = null
    where id in (select channel_id from settled)
      and (failures > 0 or slow <> ${slow} or failing_since is not null)`
}

/**
 * Records a failed attempt and the channel's circuit, unless another process holds the claim by now.
 * @returns whether it was recorded for a channel
 */
export const recordFailure = async (
  db: Connection,
  claim: Pick<Claim, 'id' | 'attempts' | 'claimedUntilMs'>,
  next: { state: 'pending'; atMs: number } | { state: 'dead' },
  { detail, circuit, slow }: { detail: string; circuit: Circuit; slow: boolean },
): Promise<boolean> => {
  const at = next.state === 'pending' ? new Date(next.atMs) : null
  const until = circuit.openUntilMs === null ? null : new Date(circuit.openUntilMs)
  const rows = await db`
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
  return rows.count > 0
}

/** Releases a claim without counting the attempt. */
export const releaseClaim = async (
  db: Connection,
  claim: Pick<Claim, 'id' | 'attempts' | 'claimedUntilMs'>,
): Promise<void> => {
  await db`
    update deliveries set claimed_until = null, attempts = attempts - 1
    where id = ${claim.id} and state = 'pending' and attempts = ${claim.attempts}
      and claimed_until = ${new Date(claim.claimedUntilMs)}`
}
