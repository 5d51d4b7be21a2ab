import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockChecks } from '../records/check/checks-store.ts'
import type { Outcome, Outcomes } from '../accounts/operations/write-many.ts'
import { findPublished, insertComponent } from '../records/status-page/components-store.ts'
import { lockStatusPage } from '../records/status-page/status-pages-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/**
 * An act that publishes checks on a page, each under its own name and in the given order, also over several
 * transactions. SV-3001 for an unknown page, SV-3002 for a private check.
 */
export const publishingOf = (
  accountId: string,
  { statusPageId, checkIds, nowMs }: { statusPageId: string; checkIds: readonly string[]; nowMs: number },
) => {
  // components of one instant are ordered by their ids
  const ids = checkIds.map(() => uuidv7(nowMs)).toSorted()
  const componentIds = new Map(checkIds.map((checkId, index) => [checkId, ids[index] as string]))

  return async (tx: Transaction, chunk: readonly string[]): Promise<Outcomes | Refusal> => {
    // checks before the page, as in lockPageAndCheck
    const checks = await lockChecks(tx, accountId, chunk)
    if ((await lockStatusPage(tx, accountId, statusPageId)) === null) return unknownPage
    const published = await findPublished(tx, statusPageId, chunk)
    const outcomes = new Map<string, Outcome>()
    for (const checkId of chunk) {
      const check = checks.get(checkId)
      const id = componentIds.get(checkId)
      if (check === undefined || id === undefined) continue
      outcomes.set(checkId, publicationOf(check.private, published.has(checkId), id))
      if (check.private || published.has(checkId)) continue
      await insertComponent(tx, {
        id,
        accountId,
        statusPageId,
        checkId,
        displayName: check.name,
        description: null,
        position: null,
        groupName: null,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
    }
    return outcomes
  }
}

/** Checks of private agents are never published (S-1707). */
const publicationOf = (isPrivate: boolean, isPublished: boolean, id: string): Outcome => {
  if (isPublished) return 'unchanged'
  return isPrivate ? refuse('SV-3002', { message: 'A private check cannot be published.' }) : { changed: id }
}

const unknownPage = refuse('SV-3001', {
  message: 'The account has no status page with this id.',
  errors: [{ path: 'act.statusPageId', message: 'no such status page' }],
})
