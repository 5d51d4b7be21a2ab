import type { TallyMessage } from '../events/errors-message.ts'
import { findTakenEventIds } from './error-batches-store.ts'
import type { PersistContext } from './context.ts'

/**
 * What became of events whose publication failed long ago: one whose id was taken is counted by what became
 * of that, and any other is a drop, `store`. Asked once the batch is recorded, so that an event of the
 * same batch is known.
 * @returns the tallies without doubts
 */
export const settleDoubts = async (
  { sql, retry }: Pick<PersistContext, 'sql' | 'retry'>,
  tallies: readonly TallyMessage[],
): Promise<TallyMessage[]> => {
  const doubted = tallies.flatMap(({ projectId, doubted: ids = [] }) =>
    ids.map((eventId) => ({ projectId, eventId })),
  )
  const taken =
    doubted.length === 0
      ? new Set<string>()
      : await retry('postgres', () => findTakenEventIds(sql, doubted))
  return tallies.map(({ doubted: ids = [], ...tally }) => {
    const lost = ids.filter((id) => !taken.has(`${tally.projectId} ${id}`)).length
    const { store = 0 } = tally.drops
    return lost === 0 ? tally : { ...tally, drops: { ...tally.drops, store: store + lost } }
  })
}
