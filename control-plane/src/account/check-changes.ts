import { AccountEvent } from '@probe-mesh/contracts/events'
import type { Events } from '@probe-mesh/bus/port'
import type { Sql } from '../postgres/connect.ts'
import { listen } from '../postgres/listen.ts'

export type CheckChanges = { close(): Promise<void> }

/**
 * Follows what changes an answer: writes of any control plane, flips and readings.
 * @param handlers.onMissed notices may have been lost: anything may have changed
 */
export const followCheckChanges = async (
  capabilities: { sql: Sql; events: Pick<Events, 'subscribe'> },
  handlers: { onChange(checkId: string): void; onMissed(): void },
): Promise<CheckChanges> => {
  const { sql, events } = capabilities
  const onEvent = (payload: unknown): void => {
    const checkId = checkIdOf(payload)
    if (checkId !== null) handlers.onChange(checkId)
  }
  const subscriptions = [
    await listen(sql, 'checks_changed', {
      onNotify: handlers.onChange,
      onConnected: handlers.onMissed,
    }),
    await events.subscribe('flip', onEvent),
    await events.subscribe('reading', onEvent),
  ]
  return {
    close: async () => {
      await Promise.all(subscriptions.map((subscription) => subscription.close()))
    },
  }
}

/** Which check an event is about; null for a payload that is no event of ours. */
const checkIdOf = (payload: unknown): string | null => {
  const parsed = AccountEvent.safeParse(payload)
  if (!parsed.success) return null
  return parsed.data.kind === 'flip' ? parsed.data.flip.checkId : parsed.data.checkId
}
