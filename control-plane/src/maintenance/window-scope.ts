import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { findComponents } from '../page-record/components-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** Ids that are no component of the page, whosever else they are. */
export const strangers = async (
  tx: Transaction,
  statusPageId: string,
  componentIds: readonly string[],
): Promise<FieldProblem[]> => {
  if (componentIds.length === 0) return []
  const published = await findComponents(tx, [statusPageId])
  const known = new Set(published.map(({ id }) => id))
  return componentIds.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `componentIds[${index}]`, message: 'is no component of this status page' }],
  )
}
