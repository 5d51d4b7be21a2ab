import { sumUptimeOfAll } from '../checks/list/uptime-sums-store.ts'
import { findTimes } from '../checks/list/find-checks.ts'
import { watchedUntilMs, type HeartbeatWatch } from '../heartbeats/outage.ts'
import { uptimeWindowsMs } from '@probe-mesh/contracts/check/uptime-by-age'
import { shareOf } from '../status/uptime.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** The uptime of an account in the last 30 days; `month` null: nothing was measured. */
export type AccountUptime = { month: number | null; atMs: number }

/**
 * The share of the measured time of all checks together that was not down. Every measured second weighs the
 * same, so that a new check, or one without readings, does not move the figure of the others (S-1111).
 */
export const findAccountUptime = async (
  tx: Transaction,
  accountId: string,
  watch: HeartbeatWatch,
  nowMs: number,
): Promise<AccountUptime> => {
  const { ages } = await findTimes(tx, accountId, nowMs)
  // how long each record counts, as `statusEvidence` has it
  const subjects = tx`
    select checks.id as check_id, checks.type = 'heartbeat' as is_heartbeat,
      to_timestamp(case when checks.type = 'heartbeat' then ${watchedUntilMs(watch, nowMs)}::float8
        else least(${nowMs}::float8, coalesce(counts.until_ms, 0)) end / 1000) as known_until
    from checks
      join jsonb_to_recordset(${tx.json(ages)}) as age (seconds int, "staleMs" float8)
        on age.seconds = checks.interval_seconds
      left join check_states on check_states.check_id = checks.id
      cross join lateral (
        select max(least((state -> 'measuredAt')::float8 + age."staleMs",
            (state ->> 'withdrawnAt')::float8 - 1)) as until_ms
        from unnest(checks.regions) as named (region)
          cross join lateral (select check_states.regions -> named.region as state) as seen
        where state ->> 'verdict' is not null) as counts
    where checks.account_id = ${accountId}`
  const windowMs = uptimeWindowsMs.month
  const sum = await sumUptimeOfAll(tx, subjects, { windowMs, nowMs }, watch.outages)
  return { month: shareOf(sum, windowMs).value, atMs: nowMs }
}
