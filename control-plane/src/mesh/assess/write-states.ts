import type { ConsumerLag } from '@probe-mesh/bus/port'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { storedWithinMs } from '../../status/what-matters.ts'
import { writeStates, findStatesOfChecks, recordFlips } from '../../status/states-store.ts'
import type { AssessContext, Holding } from './context.ts'
import { writeJudgedUntil } from './judged-store.ts'

const rowsMax = 2_000
/** What the next owner judges again at most, and the stream keeps for it; of one partition. */
const judgedMessagesMax = 5_000
const judgedBytesMax = 4 * 1024 * 1024

/** The first of the times at which all states of a partition are written: those of others are in between. */
export const firstWriteAtMs = (partition: number, nowMs: number): number =>
  nowMs + ((partition + 1) * storedWithinMs) / partitions.length

/** Whether all states of a partition are to be written, and its messages acknowledged. */
const isAllDue = ({ writeAllAtMs = 0, judged }: Holding, nowMs: number): boolean =>
  nowMs >= writeAllAtMs ||
  // the clock was set back
  writeAllAtMs - nowMs > storedWithinMs ||
  (judged !== undefined && (judged.messages >= judgedMessagesMax || judged.bytes >= judgedBytesMax))

/**
 * Writes the states that matter, and all of a partition every 30 s or after many messages; then acknowledges that
 * partition's messages. After a crash the messages since then are judged again, with the same result. States under
 * a lost lease are neither written nor acknowledged (S-945, S-946).
 */
export const writeBehind = async (context: AssessContext): Promise<void> => {
  const { assessmentState, now } = context
  const nowMs = now()
  const all = [...context.holdings.values()].filter((holding) => isAllDue(holding, nowMs))
  const through = all.flatMap((holding) => {
    const { processed, judged } = holding
    assessmentState.makeDue(holding.lease)
    holding.processed = null
    if (processed !== null) return { holding, processed, judged }
    holding.writeAllAtMs = nowMs + storedWithinMs
    return []
  })
  assessmentState.makeOverdueDue(nowMs)
  const putBack = (): void => {
    // what was judged meanwhile is later, also in a new stream
    for (const { holding, processed } of through) holding.processed ??= processed
  }
  let held: ReadonlySet<number>
  try {
    await noteJudged(context)
    held = await writeDue(context, through.length > 0)
  } catch (error) {
    putBack()
    throw error
  }
  if (assessmentState.isFlipping()) return putBack()
  await Promise.all(
    through
      .filter(({ holding }) => held.has(holding.lease.partition))
      .map(({ holding, processed, judged }) => {
        holding.writeAllAtMs = nowMs + storedWithinMs
        if (holding.judged !== undefined) holding.judged = less(holding.judged, judged)
        return holding.consumer.acknowledge(processed)
      }),
  )
}

/** @returns the partitions whose leases are held; empty if there was nothing to write or verify */
const writeDue = async (context: AssessContext, isVerified: boolean): Promise<ReadonlySet<number>> => {
  const { sql, assessmentState, retry } = context
  const leases = [...context.holdings.values()].map(({ lease }) => lease)
  let writes = assessmentState.takeDirty(rowsMax)
  let held: ReadonlySet<number> = new Set()
  if (writes.length === 0 && !isVerified) return held
  try {
    do {
      held = await retry(() => writeStates(sql, writes, leases))
      writes = assessmentState.takeDirty(rowsMax)
    } while (writes.length > 0)
    return held
  } catch (error) {
    assessmentState.markDirty(writes.map((write) => write.checkId))
    throw error
  }
}

/** Notes how far partitions with late readings were judged as they arrived, before any of these may be judged again. */
const noteJudged = async ({ sql, assessmentState, holdings, retry }: AssessContext): Promise<void> => {
  const late = [...holdings.values()].filter(({ lease }) => assessmentState.takeLate(lease))
  const judged = late.map(({ lease, judgedAtMs = 0 }) => ({ lease, untilMs: judgedAtMs }))
  if (judged.length === 0) return
  try {
    await retry(() => writeJudgedUntil(sql, judged))
  } catch (error) {
    for (const { lease } of late) assessmentState.markLate(lease)
    throw error
  }
}

const less = (
  all: ConsumerLag,
  { messages, bytes }: ConsumerLag = { messages: 0, bytes: 0 },
): ConsumerLag => ({
  messages: all.messages - messages,
  bytes: all.bytes - bytes,
})

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
