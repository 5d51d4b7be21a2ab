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
import { beginManyChecks, openRevisions } from '../../records/check/many-checks-store.ts'
import { transact } from '../../stores/postgres/transact.ts'

/** The number of checks per kind of change in a reconciliation. */
export type CatalogChanges = {
  inserted: number
  /** Changed, or resumed after a pause. */
  revised: number
  /** No longer in the catalog. */
  paused: number
  unchanged: number
}

/**
 * Makes the checks of the catalog's account match the catalog, in one transaction. Unchanged checks are not
 * written, so every control plane can do this at start; the last one to start wins. Checks that left the
 * catalog are paused and keep their history.
 * @param context.regions the live regions; every check is measured from all of them
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
    // read the clock under the lock, so that a control plane that waited for it does not write an old time
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
