import { nextDeadline } from '../heartbeat/heartbeat.ts'
import type { Transaction } from '../postgres/connect.ts'
import { writeHeartbeats } from '../postgres/heartbeat-writes.ts'
import { lockHeartbeat } from '../postgres/heartbeats.ts'

/**
 * Reckons a heartbeat's deadline anew after its check was changed, paused or resumed, in the same
 * transaction. A check without a heartbeat is left alone.
 */
export const rearmHeartbeat = async (
  transaction: Transaction,
  checkId: string,
  nowMs: number,
): Promise<void> => {
  const before = await lockHeartbeat(transaction, checkId)
  if (before === null || before.definition === null) return
  const { state, definition } = before
  const nextDeadlineMs = nextDeadline(state, definition, nowMs)
  const write = { before, state, nextDeadlineMs, runs: [], flips: [], log: null }
  await writeHeartbeats(transaction, [write], nowMs)
}
