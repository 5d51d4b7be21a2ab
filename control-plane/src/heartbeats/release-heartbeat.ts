import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { withoutHold } from './health.ts'
import { lockCheck } from '../check-record/checks-store.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { findStoredHeartbeat } from './heartbeats-store.ts'
import { nextDeadline } from './heartbeat.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { write } from '../operations/write.ts'

/** With the check locked only pings and a look at deadlines may come between. */
const attemptsMax = 10

/**
 * Ends that a heartbeat is held down: it stays down, since nothing good was heard of its job, and the
 * next good run makes it good again. Refused where nothing is held: SV-3002.
 */
export const releaseHeartbeat = async (
  context: Pick<AccountContext, 'sql' | 'now'> & {
    readonly answers: Pick<AccountContext['answers'], 'drop'>
  },
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; released: true } | Refusal> => {
  const name = { action: 'releaseHeartbeat', resourceType: 'check', resourceId: () => id }
  const released = await write(context, writer, name, async (tx) => {
    const check = await lockCheck(tx, writer.accountId, id)
    return check === null ? refuse('SV-3001') : release(tx, id, context.now())
  })
  if (isRefusal(released)) return released
  context.answers.drop(id)
  return released
}

const release = async (
  tx: Transaction,
  id: string,
  nowMs: number,
): Promise<{ id: string; released: true } | Refusal> => {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const before = await findStoredHeartbeat(tx, id)
    if (before?.state.health !== 'held_down' || before.definition === null) {
      return refuse('SV-3002', { message: 'This check is not held down.' })
    }
    const state = withoutHold(before.state)
    const nextDeadlineMs = nextDeadline(state, before.definition, nowMs)
    const write = { before, state, nextDeadlineMs, runs: [], flips: [], log: null }
    if ((await writeHeartbeats(tx, [write], nowMs)).size === 1) return { id, released: true }
  }
  throw new Error('a heartbeat is written by others all the time')
}
