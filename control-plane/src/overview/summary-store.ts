import { attentionItemsMax, type Attention, type Overview } from '@probe-mesh/contracts/overview/overview'
import type { ListedStatus } from '@probe-mesh/contracts/check/check-row'
import { allChecks, findTimes, judgedChecks } from '../checks/list/find-checks.ts'
import type { Fragment, Transaction } from '../stores/postgres/connect.ts'

/** A new check is measured at once: one without a reading after this time needs attention. */
const firstReadingMsMax = 120_000

type Items = Attention['items']
type Summary = {
  byStatus: Overview['checks']['byStatus']
  stale: Items
  neverMeasured: Items
  neverMeasuredCount: number
}

/** The number of an account's checks in each status, and the first of those without fresh readings. */
export const summariseChecks = async (
  tx: Transaction,
  accountId: string,
  nowMs: number,
): Promise<Summary> => {
  const times = await findTimes(tx, accountId, nowMs)
  const createdBefore = new Date(nowMs - firstReadingMsMax)
  const [row] = await tx<
    {
      counts: Partial<Record<ListedStatus, number>> | null
      stale: Items
      never: Items
      neverCount: number
    }[]
  >`
    with ${judgedChecks(tx, accountId, allChecks, times)},
    never as materialized (
      select * from judged where status = 'unknown' and type <> 'heartbeat' and created_at < ${createdBefore}
    )
    select
      (select jsonb_object_agg(status, count) from (
        select status, count(*)::int as count from judged group by status) as counted) as counts,
      ${itemsOf(tx, tx`select id, name, changed_at as at from judged where status = 'stale'`)} as stale,
      ${itemsOf(tx, tx`select id, name, created_at as at from never`)} as never,
      (select count(*)::int from never) as "neverCount"`
  return {
    byStatus: row?.counts ?? {},
    stale: row?.stale ?? [],
    neverMeasured: row?.never ?? [],
    neverMeasuredCount: row?.neverCount ?? 0,
  }
}

/** Checks of the account that each region measures, without paused ones and heartbeats. */
export const countChecksByRegion = async (
  tx: Transaction,
  accountId: string,
): Promise<Map<string, number>> => {
  const rows = await tx<{ region: string; count: number }[]>`
    select region, count(*)::int as count from checks cross join unnest(regions) as region
    where account_id = ${accountId} and not paused and type <> 'heartbeat' group by region`
  return new Map(rows.map(({ region, count }) => [region, count]))
}

/** Part of a select list: the first rows of `id, name, at` by time, as they are listed. */
export const itemsOf = (tx: Transaction, rows: Fragment) => tx`
  (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'at', to_char(at at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by at, name, id), '[]')
    from (select * from (${rows}) as every order by at, name, id limit ${attentionItemsMax}) as first)`
