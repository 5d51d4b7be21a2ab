import type { Delivery } from '@probe-mesh/contracts/channel/channel'
import type { DeliveryRecord } from './delivery-record.ts'

/** Instead of a text with a link that acts for its receiver: an account must not confirm for others. */
const privateText = 'This mail has a link for its receiver only: its text is not shown.'

/**
 * A message and what became of it, as the dashboard shows it. A private mail is shown only where it
 * was kept: without a mail server there is no other place to read it. Pure.
 */
export const describeDelivery = (delivery: DeliveryRecord): Delivery => {
  const { kind, message } = delivery
  return {
    id: delivery.id,
    state: delivery.state,
    attempts: delivery.attempts,
    createdAt: new Date(delivery.createdAtMs).toISOString(),
    nextAttemptAt:
      delivery.state === 'pending' ? new Date(delivery.nextAttemptAtMs).toISOString() : null,
    expiresAt: new Date(delivery.expiresAtMs).toISOString(),
    deliveredAt:
      delivery.deliveredAtMs === null ? null : new Date(delivery.deliveredAtMs).toISOString(),
    lastError: delivery.lastError,
    ...(kind === 'mail'
      ? {
          kind,
          recipient: delivery.recipient,
          subject: message.subject,
          text: message.isPrivate && delivery.state !== 'kept' ? privateText : message.text,
        }
      : {
          kind,
          channelId: delivery.channelId,
          channelName: delivery.channelName,
          subject: message.title,
          text: message.text,
        }),
  }
}
