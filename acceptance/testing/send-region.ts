import { beginManyChecks, openRevisions } from '@probe-mesh/control-plane/records/check/many-checks-store'
import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'

/**
 * Makes the http checks of a URL send their region to the target, because the catalog has no setting for it.
 */
export const sendRegionTo = (sql: Sql, url: string): Promise<void> =>
  transact(sql, async (tx) => {
    await beginManyChecks(tx)
    const rows = await tx<{ id: string }[]>`
      update checks set config = '{"type": "http", "sendRegion": true}', revision = revision + 1,
        valid_from = greatest(valid_from, now()), updated_at = greatest(valid_from, now())
      where url = ${url} and type = 'http' returning id`
    if (rows.length === 0) throw new Error(`no http check measures ${url}`)
    await openRevisions(
      tx,
      rows.map(({ id }) => id),
    )
  })
