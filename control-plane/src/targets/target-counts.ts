import { takeTurn, type Turns } from '@probe-mesh/runtime/account-turns'
import type { OtherRates, RequestRate, ManualRunLimit } from './target-budget.ts'
import type { Sql, Transaction } from '../stores/postgres/connect.ts'
import { requestedHosts } from '../records/check/requested-hosts.ts'
import { checkColumns, toCheckRecord, type CheckRow } from '../records/check/checks-store.ts'
import { transact } from '../stores/postgres/transact.ts'

/**
 * How often all accounts together probe a target. An account sees only its own checks; of the others it gets
 * two sums.
 */
export type TargetCounts = {
  /** Requests a minute of all checks but these, by `kind name`. */
  ratesOfOthers(
    rates: readonly Pick<RequestRate, 'kind' | 'name'>[],
    besides: { checkIds: readonly string[]; accountId: string },
  ): Promise<ReadonlyMap<string, OtherRates>>
  /** Counts manual requests, one entry each. @returns false if a host would get too many */
  countManualRun(hosts: readonly string[], accountId: string, limit: ManualRunLimit): Promise<boolean>
}

/**
 * @param sql a connection that sees every account
 * @param turns queues the queries of each account; without it they run at once
 */
export const targetCountsOf = (sql: Sql, turns: Turns | null = null): TargetCounts => {
  const inTurn = <T>(accountId: string, work: () => Promise<T>): Promise<T> =>
    turns === null ? work() : takeTurn(turns, accountId, work)
  return {
    ratesOfOthers: (rates, besides) => inTurn(besides.accountId, () => sumRequestRates(sql, rates, besides)),
    countManualRun: (hosts, accountId, limit) =>
      inTurn(accountId, () => countManualRequests(sql, hosts, accountId, limit)),
  }
}

/** Any constant, the same in every control plane. */
const siteLock = 727_010

/** Until the transaction ends, no other transaction adds requests to these sites. */
export const lockSites = async (tx: Transaction, sites: readonly string[]): Promise<void> => {
  await tx`
    select pg_advisory_xact_lock(${siteLock}, of_site.key)
    from (select distinct hashtext(site) as key from unnest(${[...sites]}::text[]) as site
      order by 1) as of_site`
}

/**
 * Requests a minute of all checks but these to these hosts and sites, by `kind name`.
 * @param sql a connection that sees the checks of every account
 */
export const sumRequestRates = async (
  sql: Sql,
  rates: readonly Pick<RequestRate, 'kind' | 'name'>[],
  { checkIds, accountId }: { checkIds: readonly string[]; accountId: string },
): Promise<ReadonlyMap<string, OtherRates>> => {
  const named = (kind: RequestRate['kind']): string[] =>
    rates.filter((one) => one.kind === kind).map(({ name }) => name)
  const rows = await sql<{ kind: string; name: string; byAll: number; byAccount: number }[]>`
    select kind, name, sum(rate) as "byAll",
      coalesce(sum(rate) filter (where account_id = ${accountId}), 0) as "byAccount"
    from (
      select 'host' as kind, host as name, account_id,
        cardinality(array_positions(asked_hosts, host)) * cardinality(regions) * 60.0::float8
          / interval_seconds as rate
      from unnest(${named('host')}::text[]) as host join checks on asked_hosts @> array[host]
      where not paused and id <> all(${[...checkIds]}::uuid[])
      union all
      select 'site', site, account_id,
        cardinality(array_positions(asked_sites, site)) * cardinality(regions) * 60.0::float8
          / interval_seconds
      from unnest(${named('site')}::text[]) as site join checks on asked_sites @> array[site]
      where not paused and id <> all(${[...checkIds]}::uuid[])
    ) as rates
    group by kind, name`
  return new Map(rows.map(({ kind, name, ...sums }) => [`${kind} ${name}`, sums]))
}

/**
 * Counts manual requests, one entry each.
 * @returns false, and counts nothing, if one host would get more than the limit
 */
export const countManualRequests = async (
  sql: Sql,
  hosts: readonly string[],
  accountId: string,
  { byAll, byAccount, floor }: ManualRunLimit,
): Promise<boolean> => {
  const [row] = await sql<{ counted: boolean }[]>`
    select ask_by_hand(${[...hosts]}::text[], ${byAll}, ${accountId}, ${byAccount}, ${floor})
      as counted`
  return row?.counted ?? false
}

const batchMax = 1_000

/**
 * Fills in the probed hosts of checks written without them, by an older version or by the catalog's
 * statements. One batch at a time; rows that others are writing are skipped.
 * @returns the number of checks
 */
export const fillRequestedHosts = async (sql: Sql): Promise<number> => {
  let filled = 0
  for (;;) {
    const count = await transact(sql, fillBatch)
    if (count === 0) return filled
    filled += count
  }
}

const fillBatch = async (tx: Transaction): Promise<number> => {
  const rows = await tx<CheckRow[]>`
    select ${checkColumns(tx)} from checks where asked_hosts is null limit ${batchMax} for update skip locked`
  const filled = rows.map((row) => {
    const requested = requestedHosts(toCheckRecord(row))
    return {
      id: row.id,
      hosts: requested.map(({ host }) => host),
      sites: requested.map(({ site }) => site),
    }
  })
  if (filled.length > 0) {
    await tx`
      update checks set asked_hosts = filled.hosts, asked_sites = filled.sites
      from jsonb_to_recordset(${tx.json(filled)})
        as filled(id uuid, hosts text[], sites text[])
      where checks.id = filled.id`
  }
  return filled.length
}
