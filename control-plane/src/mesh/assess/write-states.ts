import { writeStates, findStatesOfChecks, recordFlips } from '../../status/states-store.ts'
import type { AssessContext } from './context.ts'

const rowsMax = 2_000

/**
 * Writes all states judged so far, then acknowledges their messages. After a crash the messages are judged
 * again, with the same result. States under a lost lease are neither written nor acknowledged.
 */
export const writeBehind = async (context: AssessContext): Promise<void> => {
  const { sql, assessmentState, retry } = context
  const through = [...context.holdings.values()].flatMap((holding) =>
    holding.processed === null ? [] : [{ holding, sequence: holding.processed }],
  )
  for (const { holding } of through) holding.processed = null
  const putBack = (): void => {
    for (const { holding, sequence } of through) {
      holding.processed = Math.max(sequence, holding.processed ?? 0)
    }
  }
  const leases = [...context.holdings.values()].map(({ lease }) => lease)
  let writes = assessmentState.takeDirty(rowsMax)
  if (writes.length === 0 && through.length === 0) return
  let held: ReadonlySet<number>
  try {
    do {
      held = await retry(() => writeStates(sql, writes, leases))
      writes = assessmentState.takeDirty(rowsMax)
    } while (writes.length > 0)
  } catch (error) {
    assessmentState.markDirty(writes.map((write) => write.checkId))
    putBack()
    throw error
  }
  if (assessmentState.isFlipping()) return putBack()
  await Promise.all(
    through
      .filter(({ holding }) => held.has(holding.lease.partition))
      .map(({ holding, sequence }) => holding.consumer.acknowledge(sequence)),
  )
}

/** Writes the pending flips to Postgres. If another process was first, its state is loaded instead. */
export const writeFlips = async (context: AssessContext): Promise<void> => {
  const { sql, assessmentState, metrics, now, retry } = context
  const writes = assessmentState.flips()
  if (writes.length === 0) return
  const { won, held } = await retry(() => recordFlips(sql, writes, now()))
  const conflicts = new Map(
    writes.filter(({ checkId }) => !won.has(checkId)).map((write) => [write.checkId, write.lease]),
  )
  for (const write of writes) {
    if (!won.has(write.checkId)) continue
    assessmentState.settle(write)
    for (const { change } of write.flips) metrics.flips.inc({ to: change.to })
  }
  for (const [checkId, lease] of conflicts) {
    if (held.has(lease.partition)) assessmentState.forget(checkId)
    else {
      assessmentState.forgetUnder(lease)
      conflicts.delete(checkId)
      metrics.fenced.inc()
    }
  }
  if (conflicts.size === 0) return
  metrics.conflicts.inc(conflicts.size)
  for (const check of await retry(() => findStatesOfChecks(sql, [...conflicts.keys()]))) {
    const lease = conflicts.get(check.checkId)
    if (lease !== undefined) assessmentState.load(check, lease)
  }
}
