import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Logger } from 'pino'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import {
  ensureCatalogAccount,
  insertMissingChecks,
  pauseOtherChecks,
  reviseChangedChecks,
} from '../../catalog/catalog-checks-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { beginManyChecks, openRevisions } from '../../check-record/many-checks-store.ts'
import { transact } from '../../stores/postgres/transact.ts'

/** How many of the catalog's checks a reconciliation found to be what. */
export type CatalogChanges = {
  inserted: number
  /** Changed, or measured again after they were paused. */
  revised: number
  /** Not in the catalog any more. */
  paused: number
  unchanged: number
}

/**
 * Makes the checks of the catalog's account those of this catalog, in one transaction: "Catalog
 * checks run on the same mesh as everyone's". What has not changed is not written, so control
 * planes may each do it when they start; the last one to start decides. What the catalog no longer
 * has is paused and keeps its history, for when it comes back.
 * @param context.regions the live regions, from all of which everything is measured
 */
export const reconcileCatalog = async (context: {
  sql: Sql
  catalog: Pick<CatalogIndex, 'byCheckId'>
  regions: readonly Region[]
  intervalSeconds: number
  log: Logger
  now: () => number
}): Promise<CatalogChanges> => {
  const { sql, regions, intervalSeconds, log } = context
  const checks = [...context.catalog.byCheckId.values()]
  const schedule = { regions, intervalSeconds }
  const changes = await transact(sql, async (tx): Promise<CatalogChanges> => {
    await beginManyChecks(tx)
    // under the lock, so that a control plane that waited for it does not write an old instant
    const nowMs = context.now()
    await ensureCatalogAccount(tx, nowMs)
    const revised = await reviseChangedChecks(tx, checks, schedule, nowMs)
    const inserted = await insertMissingChecks(tx, checks, schedule, nowMs)
    const paused = await pauseOtherChecks(tx, checks, nowMs)
    await openRevisions(tx, [...inserted, ...revised, ...paused])
    return {
      inserted: inserted.length,
      revised: revised.length,
      paused: paused.length,
      unchanged: checks.length - inserted.length - revised.length,
    }
  })
  log.info(changes, 'catalog checks reconciled')
  return changes
}
