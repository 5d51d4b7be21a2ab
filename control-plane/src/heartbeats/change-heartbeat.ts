import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockCheck } from '../records/check/checks-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { endOf, pauseOf, withoutHold, withoutVerdict } from './health.ts'
import { nextDeadline } from './heartbeat.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { findStoredHeartbeat } from './heartbeats-store.ts'
import type { HeartbeatDefinition, HeartbeatState } from './state.ts'

/** The check is locked: only pings and the deadline watcher can write the heartbeat in between. */
const attemptsMax = 10

/**
 * Recomputes a heartbeat's deadline after its check was changed, paused or resumed. A pause makes its status
 * unknown until a run ends after it. The caller's transaction has locked the check. A check without a
 * heartbeat is left alone.
 */
export const rearmHeartbeat = async (tx: Transaction, checkId: string, nowMs: number): Promise<void> => {
  await changeState(tx, checkId, (state, { paused }) => (paused ? withoutVerdict(state) : state), nowMs)
}

/**
 * Ends the hold on a heartbeat: it stays down, since its job has not succeeded, and the next good run makes
 * it operational. SV-3002 if it is not held down.
 */
export const releaseHeartbeat = async (
  context: Pick<AccountContext, 'sql' | 'now'> & {
    readonly answers: Pick<AccountContext['answers'], 'drop'>
  },
  writer: Writer,
  { params: { id } }: { params: { id: string } },
): Promise<{ id: string; released: true } | Refusal> => {
  const name = { action: 'releaseHeartbeat', resourceType: 'check', resourceId: () => id }
  const release = (state: HeartbeatState): HeartbeatState | null =>
    state.health === 'held_down' ? withoutHold(state) : null
  const released = await write(context, writer, name, async (tx) => {
    const check = await lockCheck(tx, writer.accountId, id)
    if (check === null) return refuse('SV-3001')
    return (await changeState(tx, id, release, context.now()))
      ? ({ id, released: true } as const)
      : refuse('SV-3002', { message: 'This check is not held down.' })
  })
  if (isRefusal(released)) return released
  context.answers.drop(id)
  return released
}

/**
 * Writes a heartbeat's next state and deadline by compare-and-set, again if another writer was first.
 * @param next null: nothing to change
 * @returns false if there is no heartbeat, or nothing to change
 */
const changeState = async (
  tx: Transaction,
  checkId: string,
  next: (state: HeartbeatState, definition: HeartbeatDefinition) => HeartbeatState | null,
  nowMs: number,
): Promise<boolean> => {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const before = await findStoredHeartbeat(tx, checkId)
    if (before === null || before.definition === null) return false
    const state = next(before.state, before.definition)
    if (state === null) return false
    const flip = pauseOf(before.definition, nowMs) ?? endOf(state, before.definition, nowMs)
    const nextDeadlineMs = nextDeadline(state, before.definition, nowMs)
    const change = { before, state, nextDeadlineMs, runs: [], flips: flip === null ? [] : [flip], log: null }
    if ((await writeHeartbeats(tx, [change], nowMs)).size === 1) return true
  }
  throw new Error(`heartbeat of check ${checkId}: ${attemptsMax} writes in a row were overtaken`)
}
