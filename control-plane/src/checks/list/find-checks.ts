import { listedStatusOrder, type CheckSort, type ListedStatus } from '@probe-mesh/contracts/check/check-row'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { hasTag } from '../../records/check/has-tag.ts'
import { cutPage } from '../../accounts/operations/page-of.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import type { Fragment, Transaction } from '../../stores/postgres/connect.ts'
import type { ListPosition } from './cursor.ts'

/** The filter and order of a list; null: any status, or any type. Empty texts match all. */
export type CheckFilter = {
  /** In the name, URL, target or type, in any case. */
  text: string
  /** In the name, in any case. */
  name: string
  status: ListedStatus | null
  type: CheckType | null
  /** One of its tags, in any case; null: any or none. */
  tag: string | null
  /** The member who owns it; null: any or none. */
  owner: string | null
  sort: CheckSort
}

type Counts = Partial<Record<ListedStatus, number>>

type FoundPart = {
  /** In the order of the list. */
  ids: string[]
  /** The number of this page, from 1. */
  number: number
  /** Matching checks on all pages. */
  found: number
  /** Of all checks of the account, matching or not. */
  counts: Counts
  /** Of checks with this text, type, tag and owner, whatever the status filter. */
  matching: Counts
}

/**
 * One page of the account's checks by number, with counts.
 * @param page.part from 1; beyond the end, the last page is returned
 */
export const findCheckPart = async (
  tx: Transaction,
  accountId: string,
  filter: CheckFilter,
  { part, size }: { part: number; size: number },
  nowMs: number,
): Promise<FoundPart> => {
  const times = await findTimes(tx, accountId, nowMs)
  const [row] = await tx<{ ids: string[]; found: number; counts: Counts | null; matching: Counts | null }[]>`
    with ${judgedChecks(tx, accountId, filter, times)},
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
        order by ${orderOf(tx, filter.sort)}
        limit ${size}
        offset least(${part} - 1, greatest(0, total.found - 1) / ${size}) * ${size}) as ids
    from total`
  const { ids, found, counts, matching } = row ?? { ids: [], found: 0, counts: null, matching: null }
  const last = Math.max(1, Math.ceil(found / size))
  return { ids, number: Math.min(part, last), found, counts: counts ?? {}, matching: matching ?? {} }
}

/**
 * One page of the account's checks after a position. A check whose status changes between two pages may be on both
 * or on neither.
 */
export const findCheckPage = async (
  tx: Transaction,
  accountId: string,
  filter: CheckFilter,
  { after, limit }: { after: ListPosition | null; limit: number },
  nowMs: number,
): Promise<{ ids: string[]; next: ListPosition | null }> => {
  const { sort } = filter
  const times = await findTimes(tx, accountId, nowMs)
  const rows = await tx<{ id: string; key: number; name: string }[]>`
    with ${judgedChecks(tx, accountId, filter, times)}
    select id, name, ${keyOf(tx, sort)} as key from judged
    where matches and (${filter.status}::text is null or status = ${filter.status})
      and ${after === null ? tx`true` : isAfter(tx, after)}
    order by ${orderOf(tx, sort)} limit ${limit === Infinity ? null : limit + 1}`
  const { entries, next } = cutPage(rows, limit, (last) => ({ sort, ...last }))
  return { ids: entries.map(({ id }) => id), next }
}

/** Every check of an account with its status now. */
export const findStatuses = async (
  tx: Transaction,
  accountId: string,
  nowMs: number,
  limit: number,
): Promise<{ id: string; name: string; type: CheckType; status: ListedStatus }[]> => {
  const times = await findTimes(tx, accountId, nowMs)
  return tx`
    with ${judgedChecks(tx, accountId, allChecks, times)}
    select id, name, type, status from judged order by ${orderOf(tx, 'name')} limit ${limit}`
}

/** No filter. */
export const allChecks = { text: '', name: '', type: null, tag: null, owner: null }

/** How old a reading may be, by interval. */
export type Times = { ages: { seconds: number; staleMs: number }[]; nowMs: number }

export const findTimes = async (tx: Transaction, accountId: string, nowMs: number): Promise<Times> => {
  const intervals = await tx<{ seconds: number }[]>`
    select distinct interval_seconds as seconds from checks where account_id = ${accountId}`
  return { ages: intervals.map(({ seconds }) => ({ seconds, staleMs: staleAfterMs(seconds) })), nowMs }
}

/**
 * A part of a statement: each check of the account in `judged` with its status, and whether it matches text, name,
 * type, tag and owner. It decides what is stale like `describeCheckStatus`, and a test compares the two: ten thousand states
 * are too many to load for a page of a hundred. Not `materialized`: a list by name needs the status of its page only.
 */
export const judgedChecks = (
  tx: Transaction,
  accountId: string,
  { text, name, type, tag, owner }: Omit<CheckFilter, 'status' | 'sort'>,
  { ages, nowMs }: Times,
) => {
  const [inAny, inName] = [text.trim().toLowerCase(), name.trim().toLowerCase()]
  return tx`
    ages as (
      select * from jsonb_to_recordset(${tx.json(ages)})
        as age (seconds int, "staleMs" float8)
    ),
    judged as (
      select checks.id, checks.name, checks.type, checks.created_at,
        coalesce(check_states.status_since, checks.created_at) as changed_at,
        (${type}::text is null or checks.type = ${type})
          and (${tag}::text is null or ${hasTag(tx, tag)})
          and (${owner}::uuid is null or exists (
            select from check_notes where check_id = checks.id and owner_id = ${owner}))
          and (${inName} = '' or position(${inName} in lower(checks.name)) > 0)
          and (${inAny} = '' or position(${inAny} in lower(concat_ws(E'\n', checks.name,
            checks.url, checks.target, checks.type))) > 0) as matches,
        case
          when checks.paused then 'paused'
          when checks.type = 'heartbeat' then coalesce(check_states.status, 'unknown')
          -- one fresh region is enough, and it is nearly always the first one
          when ${isFresh(tx, tx`(check_states.regions -> checks.regions[1])`, nowMs)} or exists (
            select from unnest(checks.regions) as named (region)
              cross join lateral (select check_states.regions -> named.region as state) as seen
            where ${isFresh(tx, tx`state`, nowMs)}
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
    )`
}

const isFresh = (tx: Transaction, state: Fragment, nowMs: number) => tx`
  (${state} ->> 'verdict' is not null
    and ${nowMs}::float8 <= (${state} -> 'measuredAt')::float8 + ages."staleMs"
    and ((${state} ->> 'withdrawnAt') is null
      or ${nowMs}::float8 < (${state} ->> 'withdrawnAt')::float8))`

const rank = (tx: Transaction) => tx`array_position(${[...listedStatusOrder]}::text[], status)`
const msOf = (tx: Transaction, column: string) => tx`(extract(epoch from ${tx(column)}) * 1000)::float8`

/** The number by which a list is sorted; 0 for a list by name. */
const keyOf = (tx: Transaction, sort: CheckSort) => {
  switch (sort) {
    case 'status':
      return tx`${rank(tx)}::float8`
    case 'created':
    case '-created':
      return msOf(tx, 'created_at')
    case 'changed':
      return msOf(tx, 'changed_at')
    case 'name':
    case '-name':
      return tx`0::float8`
    default:
      return sort satisfies never
  }
}

const isDescending = (sort: CheckSort): boolean => sort === 'changed' || sort.startsWith('-')

const orderOf = (tx: Transaction, sort: CheckSort) =>
  isDescending(sort)
    ? tx`${keyOf(tx, sort)} desc, name collate "C" desc, id desc`
    : tx`${keyOf(tx, sort)}, name collate "C", id`

const isAfter = (tx: Transaction, { sort, key, name, id }: ListPosition) =>
  isDescending(sort)
    ? tx`(${keyOf(tx, sort)}, name collate "C", id) < (${key}::float8, ${name}, ${id}::uuid)`
    : tx`(${keyOf(tx, sort)}, name collate "C", id) > (${key}::float8, ${name}, ${id}::uuid)`
