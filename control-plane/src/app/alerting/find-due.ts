import { anyErrorsDue } from '@probe-mesh/error-tracking/feature'
import { nextSend } from '../../alerts/alert-messages-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'

export type DueWork = {
  /** Whether a step of the alerter has something to do now. */
  isDue: boolean
  /** When the next batch of messages is due, Unix ms; null: none waits. */
  nextSendMs: number | null
}

/** Asks for all steps of the alerter at once: most of its rounds have nothing to do. */
export const findDue = async (
  sql: Sql,
  nowMs: number,
  { errorTracking = 'on' }: { errorTracking?: 'on' | 'off' | undefined } = {},
): Promise<DueWork> => {
  const now = new Date(nowMs)
  const errors = errorTracking === 'off' ? sql`false` : anyErrorsDue(sql, now)
  const [row] = await sql<DueWork[]>`
    select ${nextSend(sql, nowMs)} as "nextSendMs",
      exists (select from outbox where kind = 'alert' and done_at is null and next_attempt_at <= ${now})
      or exists (select from alerts where next_at <= ${now})
      or exists (select from held_failures where next_at <= ${now})
      or exists (select from on_call_schedules where next_look_at <= ${now})
      or ${errors} as "isDue"`
  const { isDue = true, nextSendMs = null } = row ?? {}
  return { isDue: isDue || (nextSendMs !== null && nextSendMs <= nowMs), nextSendMs }
}
