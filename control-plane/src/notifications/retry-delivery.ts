import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockDelivery, reviveDelivery } from './deliveries-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/** A message that a person sends again is worth sending for this long. */
const retriedMsMax = 24 * 3_600_000

/**
 * Sends again what was given up, or kept unsent, under its own id. Refused: no such message SV-3001,
 * one that still waits or was taken SV-3002.
 */
export const retryDelivery = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { id }: { id: string },
): Promise<{ id: string; state: 'pending' } | Refusal> => {
  const name = { action: 'retryDelivery', resourceType: 'delivery', resourceId: () => id }
  return write(context, writer, name, async (tx) => {
    const delivery = await lockDelivery(tx, writer.accountId, id)
    if (delivery === null) return refuse('SV-3001')
    if (delivery.state === 'pending' || delivery.state === 'delivered') {
      const what = delivery.state === 'pending' ? 'still waits to be sent' : 'was delivered'
      return refuse('SV-3002', { message: `The message ${what}.` })
    }
    const nowMs = context.now()
    await reviveDelivery(tx, id, { nowMs, expiresAtMs: nowMs + retriedMsMax })
    return { id, state: 'pending' } as const
  })
}
