import type { CertificateRecord } from '../checks/expiry/certificates.ts'
import type { CheckWithState } from '../records/check/check-record.ts'
import { stateColumns, toState, type StateColumns } from '../status/state-columns.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A check with what its metrics need. */
export type ScrapedCheck = Pick<
  CheckWithState,
  'id' | 'name' | 'type' | 'url' | 'target' | 'paused' | 'regions' | 'intervalSeconds' | 'state'
> & { certificates: Pick<CertificateRecord, 'region' | 'expiresAtMs' | 'seenAtMs'>[] }

type Row = Omit<ScrapedCheck, 'state'> & StateColumns

/** Checks per page: the states of 5,000 checks in ten regions are 40 MB. */
const pageSize = 250

/** All checks of an account, oldest first, in pages of one statement. */
export async function* scrapedChecks(tx: Transaction, accountId: string): AsyncGenerator<ScrapedCheck[]> {
  const pages = tx<Row[]>`
    select checks.id, checks.name, checks.type, checks.url, checks.target, checks.paused, checks.regions,
      checks.interval_seconds as "intervalSeconds", ${stateColumns(tx)},
      coalesce((select jsonb_agg(jsonb_build_object('region', region,
          'expiresAtMs', ${epochMs(tx, 'expires_at')}, 'seenAtMs', ${epochMs(tx, 'seen_at')}))
        from check_certificates where check_id = checks.id), '[]') as certificates
    from checks left join check_states on check_states.check_id = checks.id
    where checks.account_id = ${accountId}
    order by checks.created_at, checks.id`.cursor(pageSize)
  for await (const rows of pages) yield rows.map(toScraped)
}

const toScraped = (row: Row): ScrapedCheck => ({
  id: row.id,
  name: row.name,
  type: row.type,
  url: row.url,
  target: row.target,
  paused: row.paused,
  regions: row.regions,
  intervalSeconds: row.intervalSeconds,
  certificates: row.certificates,
  state: toState(row),
})
