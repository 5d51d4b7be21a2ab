import type { Delivery } from '@probe-mesh/contracts/delivery'
import type { DeliveryRecord } from '../deliveries/delivery-record.ts'

/** A message and what became of it, as the dashboard shows it. Pure. */
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
      ? { kind, recipient: delivery.recipient, subject: message.subject, text: message.text }
      : {
          kind,
          channelId: delivery.channelId,
          channelName: delivery.channelName,
          subject: message.title,
          text: message.text,
        }),
  }
}
