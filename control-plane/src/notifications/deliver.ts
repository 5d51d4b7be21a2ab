import { anySignal } from '@probe-mesh/runtime/any-signal'
import { slowChannelMs } from '@probe-mesh/contracts/channel/outgoing-pools'
import type { Logger } from 'pino'
import { circuitAfter, closedCircuit, nextTry } from './next-try.ts'
import type { SendResult } from './send-result.ts'
import type { Mailer } from './mail/mailer.ts'
import type { ChannelSender } from './channels/channel-sender.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { giveBack, settleDelivered, settleFailed } from './outgoing-deliveries-store.ts'
import type { ChannelClaim, MailClaim } from './outgoing-deliveries-store.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

/** What one delivery is sent with. */
export type DeliverContext = {
  readonly sql: Sql
  readonly channelSender: ChannelSender
  /** null: no SMTP_URL is set, and no mail is claimed. */
  readonly mailer: Mailer | null
  readonly metrics: DeliveryMetrics
  readonly log: Logger
  readonly now: () => number
  /** In [0, 1) */
  readonly random: () => number
}

/**
 * Tries a claimed delivery once and notes what it met. A claim that is not settled, because the
 * process ends or Postgres is away, runs out: the message is sent again under the same id.
 * @param stop aborts when the process has no more time: the delivery is given back
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
    // anything but our own stop is a bug: nothing is noted, and the claim runs out
    if (!stop.aborted) throw error
    await giveBack(sql, claim)
    return
  }
  const slow = performance.now() - startedMs > slowChannelMs
  if (result.ok) {
    await settleDelivered(sql, claim.id, slow, now())
    metrics.sent.inc({ kind: claim.kind })
    return
  }
  const nowMs = now()
  const next = nextTry(result, claim, nowMs, context.random)
  const circuit = claim.kind === 'mail' ? closedCircuit : circuitAfter(claim.circuit, result, nowMs)
  const detail = `${result.httpStatus === null ? '' : `HTTP ${result.httpStatus} `}${result.detail}`
  await settleFailed(sql, claim, next, { detail: detail.trim(), circuit, slow })
  metrics.failed.inc({ kind: claim.kind, met: result.kind })
  const noted = { deliveryId: claim.id, kind: claim.kind, met: result.kind, detail }
  if (next.state === 'pending') {
    log.debug({ ...noted, againAt: new Date(next.atMs) }, 'a message was not taken; it waits')
    return
  }
  metrics.dead.inc({ kind: claim.kind })
  log.warn(noted, 'a message was given up')
}

const send = (
  { mailer, channelSender }: DeliverContext,
  claim: MailClaim | ChannelClaim,
  signal: AbortSignal,
): Promise<SendResult> => {
  if (claim.kind === 'channel') {
    return channelSender.send({ ...claim, id: claim.channelId }, claim, signal)
  }
  if (mailer === null) throw new Error('a mail was claimed where no SMTP_URL is set')
  return mailer.send(claim, signal)
}
