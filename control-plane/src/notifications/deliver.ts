import { anySignal } from '@probe-mesh/runtime/any-signal'
import { slowChannelMs } from '@probe-mesh/contracts/channel/outgoing-pools'
import type { Logger } from 'pino'
import { circuitAfter, closedCircuit, isFailing, nextAttempt } from './next-attempt.ts'
import type { SendResult } from './outgoing/send-result.ts'
import type { Mailer } from './mail/mailer.ts'
import type { ChannelSender } from './channels/channel-sender.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { markFailing } from './failing-channels.ts'
import {
  releaseClaim,
  recordDelivered,
  recordFailure,
  type ChannelClaim,
  type MailClaim,
} from './claimed-deliveries-store.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

/** What sending a delivery needs. */
export type DeliverContext = {
  readonly sql: Sql
  readonly channelSender: ChannelSender
  /** null: SMTP_URL is not set, and no mail is claimed. */
  readonly mailer: Mailer | null
  readonly metrics: DeliveryMetrics
  /** The base of links, without a slash at its end. */
  readonly publicUrl: string
  readonly log: Logger
  readonly now: () => number
  /** In [0, 1) */
  readonly random: () => number
}

/**
 * Sends a claimed delivery once and records the result. When the process ends or Postgres is unavailable
 * before that, the claim expires and the message is sent again under the same id.
 * @param stop aborts when the process must end: the claim is released
 * @throws what Postgres throws
 */
export const deliver = async (
  context: DeliverContext,
  claim: MailClaim | ChannelClaim,
  { stop, attemptMsMax }: { stop: AbortSignal; attemptMsMax: number },
): Promise<void> => {
  const { sql, metrics, log, now } = context
  const signal = anySignal([stop, AbortSignal.timeout(attemptMsMax)])
  const startedMs = performance.now()
  let result: SendResult
  try {
    result = await send(context, claim, signal)
  } catch (error) {
    // any other error is a bug: nothing is recorded, and the claim expires
    if (!stop.aborted) throw error
    await releaseClaim(sql, claim)
    return
  }
  const slow = performance.now() - startedMs > slowChannelMs
  if (result.ok) {
    await recordDelivered(sql, claim.id, slow, now())
    metrics.sent.inc({ kind: claim.kind })
    return
  }
  const nowMs = now()
  const next = nextAttempt(result, claim, nowMs, context.random)
  const circuit = claim.kind === 'mail' ? closedCircuit : circuitAfter(claim.circuit, result, nowMs)
  const detail = `${result.httpStatus === null ? '' : `HTTP ${result.httpStatus} `}${result.detail}`
  const met = { detail: detail.trim(), circuit, slow }
  await transact(sql, async (tx) => {
    const isOurs = await recordFailure(tx, claim, next, met)
    if (!isOurs || claim.kind === 'mail' || !isFailing(result, next, circuit)) return
    await markFailing(tx, { ...claim, detail: met.detail }, { publicUrl: context.publicUrl, nowMs })
  })
  metrics.failed.inc({ kind: claim.kind, met: result.kind })
  const details = { deliveryId: claim.id, kind: claim.kind, met: result.kind, detail }
  if (next.state === 'pending') {
    log.debug({ ...details, retryAt: new Date(next.atMs) }, 'sending a message failed; it will be retried')
    return
  }
  metrics.dead.inc({ kind: claim.kind })
  log.warn(details, 'a message failed permanently')
}

const send = (
  { mailer, channelSender }: DeliverContext,
  claim: MailClaim | ChannelClaim,
  signal: AbortSignal,
): Promise<SendResult> => {
  if (claim.kind === 'channel') {
    return channelSender.send({ ...claim, id: claim.channelId }, claim, signal)
  }
  if (mailer === null) throw new Error('a mail was claimed although SMTP_URL is not set')
  return mailer.send(claim, signal)
}
