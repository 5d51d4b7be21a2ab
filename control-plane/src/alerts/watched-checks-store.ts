import type { CheckStatus, CheckType } from '@probe-mesh/contracts/check/check'
import type { WatchedCheck } from './evidence.ts'
import type { RegionState } from '../status/state.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

type WatchedRow = {
  id: string
  account_id: string
  type: CheckType
  name: string
  url: string | null
  target: string | null
  regions: string[]
  interval_seconds: number
  paused: boolean
  status: CheckStatus
  status_reason: string | null
  status_since: Date | null
  version: number
  region_states: Record<string, RegionState>
}

/**
 * These checks with their states, by id, locked against deletion until the transaction ends. Checks are
 * locked before the rows that refer to them, as when a check is deleted, so that there is no deadlock.
 */
export const lockWatchedChecksShared = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<Map<string, WatchedCheck>> => {
  const rows = await tx<WatchedRow[]>`
    select checks.id, checks.account_id, checks.type, checks.name, checks.url, checks.target,
      checks.regions, checks.interval_seconds, checks.paused, check_states.status,
      check_states.status_reason, check_states.status_since, check_states.version,
      check_states.regions as region_states
    from checks join check_states on check_states.check_id = checks.id
    where checks.id = any(${[...checkIds]}::uuid[])
    order by checks.id for key share of checks`
  return new Map(rows.map((row) => [row.id, toWatchedCheck(row)]))
}

const toWatchedCheck = (row: WatchedRow): WatchedCheck => ({
  id: row.id,
  accountId: row.account_id,
  type: row.type,
  name: row.name,
  url: row.url,
  target: row.target,
  regions: row.regions,
  intervalSeconds: row.interval_seconds,
  paused: row.paused,
  state: {
    status: row.status,
    statusReason: row.status_reason,
    statusSinceMs: row.status_since?.getTime() ?? null,
    version: row.version,
    regions: row.region_states,
  },
})

/** The statuses of these checks, by id, without deleted checks. */
export const findStatuses = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<Map<string, { status: CheckStatus; sinceMs: number | null }>> => {
  const rows = await tx<{ check_id: string; status: CheckStatus; status_since: Date | null }[]>`
    select check_id, status, status_since from check_states
    where check_id = any(${[...new Set(checkIds)]}::uuid[])`
  return new Map(
    rows.map((row) => [row.check_id, { status: row.status, sinceMs: row.status_since?.getTime() ?? null }]),
  )
}
