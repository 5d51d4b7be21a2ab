import { nextDeadline } from './heartbeat.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { findStoredHeartbeat } from './heartbeats-store.ts'

/** With the check locked only a control plane that looks at deadlines may come between. */
const attemptsMax = 10

/**
 * Reckons a heartbeat's deadline anew after its check was changed, paused or resumed, in the same
 * transaction, which has locked the check. A check without a heartbeat is left alone.
 */
export const rearmHeartbeat = async (
  transaction: Transaction,
  checkId: string,
  nowMs: number,
): Promise<void> => {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const before = await findStoredHeartbeat(transaction, checkId)
    if (before === null || before.definition === null) return
    const { state, definition } = before
    const nextDeadlineMs = nextDeadline(state, definition, nowMs)
    const write = { before, state, nextDeadlineMs, runs: [], flips: [], log: null }
    if ((await writeHeartbeats(transaction, [write], nowMs)).size === 1) return
  }
  throw new Error('a heartbeat is written by others all the time')
}
