import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { catalogAccountId } from '../accounts/accounts-store.ts'
import type { CatalogCheck } from './catalog-checks.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** The schedule of all checks of the catalog. */
type CatalogSchedule = { regions: readonly Region[]; intervalSeconds: number }

/** Creates the account of the catalog, which owns nothing but its checks. */
export const ensureCatalogAccount = async (tx: Transaction, nowMs: number): Promise<void> => {
  await tx`
    insert into accounts (id, name, tier, created_at)
    values (${catalogAccountId}, 'Catalog', 'scale', ${new Date(nowMs)})
    on conflict (id) do nothing`
}

/** Inserts missing checks, each with the empty state that its assessor starts from. @returns their ids */
export const insertMissingChecks = async (
  tx: Transaction,
  checks: readonly CatalogCheck[],
  { regions, intervalSeconds }: CatalogSchedule,
  nowMs: number,
): Promise<string[]> => {
  const now = new Date(nowMs)
  const rows = await tx<{ id: string }[]>`
    with wanted as (select * from ${wantedRows(tx, checks)}),
    inserted as (
      insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
        assertions, valid_from, created_at, updated_at)
      select id, ${catalogAccountId}, 'http', name, url, ${intervalSeconds}, ${[...regions]}, true,
        assertions, ${now}, ${now}, ${now}
      from wanted
      on conflict (id) do nothing
      returning id
    )
    insert into check_states (check_id, partition)
    select id, partition from wanted join inserted using (id)
    returning check_id as id`
  return rows.map((row) => row.id)
}

/**
 * Raises the revision of checks that are paused or differ from the catalog; the caller opens the revision.
 * @returns their ids
 */
export const reviseChangedChecks = async (
  tx: Transaction,
  checks: readonly CatalogCheck[],
  schedule: CatalogSchedule,
  nowMs: number,
): Promise<string[]> => {
  const { intervalSeconds } = schedule
  const regions = [...schedule.regions]
  const now = new Date(nowMs)
  const rows = await tx<{ id: string }[]>`
    update checks set name = wanted.name, url = wanted.url, assertions = wanted.assertions,
      interval_seconds = ${intervalSeconds}, regions = ${regions}, paused = false,
      asked_hosts = null, asked_sites = null,
      revision = revision + 1, valid_from = greatest(valid_from, ${now}),
      updated_at = greatest(valid_from, ${now})
    from ${wantedRows(tx, checks)}
    where checks.id = wanted.id and account_id = ${catalogAccountId}
      and (paused or interval_seconds <> ${intervalSeconds}
        or not (regions @> ${regions} and regions <@ ${regions})
        or (checks.name, checks.url, checks.assertions)
          is distinct from (wanted.name, wanted.url, wanted.assertions))
    returning checks.id`
  return rows.map((row) => row.id)
}

/**
 * Pauses checks that the catalog no longer has; their history stays. The caller opens the revision. @returns
 * their ids
 */
export const pauseOtherChecks = async (
  tx: Transaction,
  checks: readonly CatalogCheck[],
  nowMs: number,
): Promise<string[]> => {
  const now = new Date(nowMs)
  const rows = await tx<{ id: string }[]>`
    update checks set paused = true, revision = revision + 1,
      valid_from = greatest(valid_from, ${now}), updated_at = greatest(valid_from, ${now})
    where account_id = ${catalogAccountId} and not paused
      and not exists (
        select from unnest(${checks.map((check) => check.checkId)}::uuid[]) as wanted (id)
        where wanted.id = checks.id)
    returning id`
  return rows.map((row) => row.id)
}

/** The checks as a table `wanted`, with only the assertions that are set, like `checks` stores them. */
const wantedRows = (tx: Transaction, checks: readonly CatalogCheck[]) => {
  const rows = checks.map(({ checkId, name, url, assertions }) => ({
    id: checkId,
    partition: partitionOf(checkId),
    name,
    url,
    assertions: Object.fromEntries(Object.entries(assertions).filter(([, value]) => value !== null)),
  }))
  return tx`
    jsonb_to_recordset(${tx.json(rows)})
      as wanted (id uuid, partition smallint, name text, url text, assertions jsonb)`
}
