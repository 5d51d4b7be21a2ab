import { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import type { Events } from '@probe-mesh/bus/port'
import type { Sql } from '../stores/postgres/connect.ts'
import { listen } from '../stores/postgres/listen.ts'

export type CheckChanges = { close(): Promise<void> }

/**
 * Follows changes that make a cached answer wrong at once: writes of any control plane, and flips. A new
 * reading only makes an answer older, which its maximum age bounds.
 * @param handlers.onMissed notifications may have been lost: anything may have changed
 */
export const followCheckChanges = async (
  capabilities: { sql: Sql; events: Pick<Events, 'subscribe'> },
  handlers: { onChange(checkId: string): void; onFlip(checkId: string): void; onMissed(): void },
): Promise<CheckChanges> => {
  const { sql, events } = capabilities
  const onFlip = (payload: unknown): void => {
    const parsed = AccountEvent.safeParse(payload)
    if (parsed.success && parsed.data.kind === 'flip') handlers.onFlip(parsed.data.flip.checkId)
  }
  const subscriptions = [
    await listen(sql, 'checks_changed', {
      onNotify: handlers.onChange,
      onConnected: handlers.onMissed,
    }),
    await events.subscribe('flip', onFlip),
  ]
  return {
    close: async () => {
      await Promise.all(subscriptions.map((subscription) => subscription.close()))
    },
  }
}
