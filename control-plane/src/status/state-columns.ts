import { newCheckState, type CheckState } from './state.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** The columns of a check's state in a row; null where `check_states` has no row for the check. */
export type StateColumns = Pick<CheckState, 'statusReason' | 'statusSinceMs'> & {
  status: CheckState['status'] | null
  version: number | null
  stateRegions: CheckState['regions'] | null
}

export const stateColumns = (db: Connection) => db`
  check_states.status, check_states.status_reason as "statusReason",
  ${epochMs(db, 'check_states.status_since')} as "statusSinceMs", check_states.version,
  check_states.regions as "stateRegions"`

export const toState = (row: StateColumns): CheckState => ({
  status: row.status ?? newCheckState.status,
  statusReason: row.statusReason,
  statusSinceMs: row.statusSinceMs,
  version: row.version ?? newCheckState.version,
  regions: row.stateRegions ?? newCheckState.regions,
})
