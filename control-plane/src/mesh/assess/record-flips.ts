import { findStatesOfChecks, recordFlips } from '../../status/states-store.ts'
import type { AssessContext } from './context.ts'

/** Brings the book's flips to Postgres. Where somebody else was first, the book learns his state. */
export const recordBookFlips = async (context: AssessContext): Promise<void> => {
  const { sql, book, metrics, now, retry } = context
  const writes = book.flips()
  if (writes.length === 0) return
  const { won, held } = await retry(() => recordFlips(sql, writes, now()))
  const conflicts = new Map(
    writes.filter(({ checkId }) => !won.has(checkId)).map((write) => [write.checkId, write.lease]),
  )
  for (const write of writes) {
    if (!won.has(write.checkId)) continue
    book.settle(write)
    for (const { change } of write.flips) metrics.flips.inc({ to: change.to })
  }
  for (const [checkId, lease] of conflicts) {
    if (held.has(lease.partition)) book.forget(checkId)
    else {
      book.forgetUnder(lease)
      conflicts.delete(checkId)
      metrics.fenced.inc()
    }
  }
  if (conflicts.size === 0) return
  metrics.conflicts.inc(conflicts.size)
  for (const check of await retry(() => findStatesOfChecks(sql, [...conflicts.keys()]))) {
    const lease = conflicts.get(check.checkId)
    if (lease !== undefined) book.load(check, lease)
  }
}
