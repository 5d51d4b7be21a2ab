import type { Check, CheckType } from '@probe-mesh/contracts/check/check'
import { findChecks, findChecksOf } from '../check-record/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { describeCheck } from './describe-check.ts'
import type { CheckPart, ListedStatus } from '@probe-mesh/contracts/check/check-list'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import type { CheckWithState } from '../check-record/check-record.ts'
import { staleAfterMs } from '../status/freshness.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** Every check of the account, oldest first (S-202). */
export const listChecks = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  caller: Pick<Caller, 'accountId'>,
): Promise<{ checks: Check[] }> => {
  const checks = await inAccount(context.sql, caller.accountId, (tx) => findChecks(tx, caller.accountId))
  const nowMs = context.now()
  return { checks: checks.map((check) => describeCheck(check, nowMs)) }
}

/** One page of the account's checks, worst first, with the number of checks per status. */
export const listCheckPart = async (
  { sql, rules, now }: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { q: text, page: part, status, type } }: InputOf<DashboardRoutes['listCheckPart']>,
): Promise<CheckPart> => {
  const nowMs = now()
  const size = limits.checksPerPart
  const filter = { text, status: status ?? null, type: type ?? null, part, size }
  const found = await inAccount(sql, accountId, (tx) => findCheckPart(tx, accountId, filter, nowMs))
  return {
    checks: found.checks.map((check) => describeCheck(check, nowMs)),
    number: found.number,
    last: Math.max(1, Math.ceil(found.found / filter.size)),
    total: found.found,
    counts: found.counts,
    matching: found.matching,
    at: new Date(nowMs).toISOString(),
    vantage: rules.vantage,
  }
}

/** Worst first, paused last. */
const order: readonly ListedStatus[] = ['down', 'degraded', 'stale', 'unknown', 'operational', 'paused']

/** The filter of a page; null: any status, or any type. */
type CheckFilter = {
  text: string
  status: ListedStatus | null
  type: CheckType | null
  /** From 1; beyond the end, the last page is returned. */
  part: number
  size: number
}

type Counts = Partial<Record<ListedStatus, number>>

type FoundPart = {
  /** In the order of the list. */
  checks: CheckWithState[]
  /** The number of this page, from 1. */
  number: number
  /** Matching checks on all pages. */
  found: number
  /** Of all checks of the account, matching or not. */
  counts: Counts
  /** Of checks with this text and type, whatever the status filter. */
  matching: Counts
}

/**
 * One page of the account's checks that contain a text in name, address or type, filtered by status and type,
 * worst first, then by name. The statement decides what is stale like `describeCheckStatus`, and a test
 * compares the two: ten thousand states are too many to load for a page of a hundred.
 */
export const findCheckPart = async (
  tx: Transaction,
  accountId: string,
  filter: CheckFilter,
  nowMs: number,
): Promise<FoundPart> => {
  const intervals = await tx<{ seconds: number }[]>`
    select distinct interval_seconds as seconds from checks where account_id = ${accountId}`
  const ages = intervals.map(({ seconds }) => ({ seconds, staleMs: staleAfterMs(seconds) }))
  const text = filter.text.trim().toLowerCase()
  const [row] = await tx<{ ids: string[]; found: number; counts: Counts | null; matching: Counts | null }[]>`
    with ages as (
      select * from jsonb_to_recordset(${tx.json(ages)})
        as age (seconds int, "staleMs" float8)
    ),
    judged as materialized (
      select checks.id, checks.name,
        (${filter.type}::text is null or checks.type = ${filter.type})
          and (${text} = '' or position(${text} in lower(concat_ws(E'\n', checks.name,
            checks.url, checks.target, checks.type))) > 0) as matches,
        case
          when checks.paused then 'paused'
          when checks.type = 'heartbeat' then coalesce(check_states.status, 'unknown')
          -- one fresh region is enough, and it is nearly always the first one
          when exists (
            select from unnest(checks.regions) as named (region)
              cross join lateral (select check_states.regions -> named.region as state) as seen
            where state ->> 'verdict' is not null
              and ${nowMs}::float8 <= (state -> 'measuredAt')::float8 + ages."staleMs"
              and ((state ->> 'withdrawnAt') is null
                or ${nowMs}::float8 < (state ->> 'withdrawnAt')::float8)
          ) then check_states.status
          when exists (
            select from unnest(checks.regions) as named (region)
            where check_states.regions -> named.region ->> 'verdict' is not null
          ) then 'stale'
          else 'unknown'
        end as status
      from checks join ages on ages.seconds = checks.interval_seconds
        left join check_states on check_states.check_id = checks.id
      where checks.account_id = ${accountId}
    ),
    counted as materialized (
      select status, count(*)::int as count, (count(*) filter (where matches))::int as matching,
        ${filter.status}::text is null or status = ${filter.status} as wanted
      from judged group by status
    ),
    total as (
      select coalesce(sum(matching) filter (where wanted), 0)::int as found from counted
    )
    select total.found,
      (select jsonb_object_agg(status, count) from counted) as counts,
      (select jsonb_object_agg(status, matching) from counted where matching > 0) as matching,
      array(
        select id from judged
        where matches and (${filter.status}::text is null or status = ${filter.status})
        order by array_position(${order}::text[], status), name collate "C", id
        limit ${filter.size}
        offset least(${filter.part} - 1, greatest(0, total.found - 1) / ${filter.size})
          * ${filter.size}) as ids
    from total`
  const { ids, found, counts, matching } = row ?? {
    ids: [],
    found: 0,
    counts: null,
    matching: null,
  }
  const checks = await findChecksOf(tx, accountId, ids)
  const last = Math.max(1, Math.ceil(found / filter.size))
  return {
    checks,
    number: Math.min(filter.part, last),
    found,
    counts: counts ?? {},
    matching: matching ?? {},
  }
}
