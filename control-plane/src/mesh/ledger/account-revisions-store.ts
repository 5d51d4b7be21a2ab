import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import type { Transaction } from '../../stores/postgres/connect.ts'

/** Read for one ledger: as many ids as one question to ClickHouse takes. */
export const accountRevisionsMax = 20_000

export type NamedRevision = { checkId: string; name: string; revision: Revision }

/**
 * The revisions of an account's checks that were valid in [fromMs, toMs), and whether there were
 * more than are read. A heartbeat is due nowhere.
 */
export const findAccountRevisions = async (
  transaction: Transaction,
  accountId: string,
  fromMs: number,
  toMs: number,
): Promise<{ revisions: NamedRevision[]; isCut: boolean }> => {
  const rows = await transaction<
    {
      id: string
      name: string
      valid_from: Date
      valid_to: Date | null
      regions: Region[]
      interval_seconds: number
      paused: boolean
      spread: boolean
    }[]
  >`
    select c.id, c.name, r.valid_from, r.valid_to, r.regions, r.interval_seconds, r.paused,
      r.spread
    from checks c join check_revisions r on r.check_id = c.id
    where c.account_id = ${accountId} and c.type <> 'heartbeat'
      and r.valid_from < ${new Date(toMs)}
      and (r.valid_to is null or r.valid_to > ${new Date(fromMs)})
    order by c.id, r.revision limit ${accountRevisionsMax + 1}`
  const revisions = rows.slice(0, accountRevisionsMax).map((row) => ({
    checkId: row.id,
    name: row.name,
    revision: {
      validFromMs: row.valid_from.getTime(),
      validToMs: row.valid_to?.getTime() ?? null,
      regions: row.regions,
      intervalSeconds: row.interval_seconds,
      paused: row.paused,
      isSpread: row.spread,
    },
  }))
  return { revisions, isCut: rows.length > accountRevisionsMax }
}
