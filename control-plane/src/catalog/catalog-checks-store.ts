import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { catalogAccountId } from './catalog-checks.ts'
import type { CatalogCheck } from './catalog-checks.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** What every check of the catalog has in common. */
export type CatalogSchedule = { regions: readonly Region[]; intervalSeconds: number }

/** The account that the catalog's checks are on; it has nothing else. */
export const ensureCatalogAccount = async (
  transaction: Transaction,
  nowMs: number,
): Promise<void> => {
  await transaction`
    insert into accounts (id, name, tier, created_at)
    values (${catalogAccountId}, 'Catalog', 'scale', ${new Date(nowMs)})
    on conflict (id) do nothing`
}

/** Those that are not there yet, each with the empty state that its assessor starts from. @returns their ids */
export const insertMissingChecks = async (
  transaction: Transaction,
  checks: readonly CatalogCheck[],
  { regions, intervalSeconds }: CatalogSchedule,
  nowMs: number,
): Promise<string[]> => {
  const now = new Date(nowMs)
  const rows = await transaction<{ id: string }[]>`
    with wanted as (select * from ${wantedRows(transaction, checks)}),
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
 * Gives those that are paused, or are not as the catalog has them, their next revision. The
 * revision is for the caller to open. @returns their ids
 */
export const reviseChangedChecks = async (
  transaction: Transaction,
  checks: readonly CatalogCheck[],
  schedule: CatalogSchedule,
  nowMs: number,
): Promise<string[]> => {
  const { intervalSeconds } = schedule
  const regions = [...schedule.regions]
  const now = new Date(nowMs)
  const rows = await transaction<{ id: string }[]>`
    update checks set name = wanted.name, url = wanted.url, assertions = wanted.assertions,
      interval_seconds = ${intervalSeconds}, regions = ${regions}, paused = false,
      asked_hosts = null, asked_sites = null,
      revision = revision + 1, valid_from = greatest(valid_from, ${now}),
      updated_at = greatest(valid_from, ${now})
    from ${wantedRows(transaction, checks)}
    where checks.id = wanted.id and account_id = ${catalogAccountId}
      and (paused or interval_seconds <> ${intervalSeconds}
        or not (regions @> ${regions} and regions <@ ${regions})
        or (checks.name, checks.url, checks.assertions)
          is distinct from (wanted.name, wanted.url, wanted.assertions))
    returning checks.id`
  return rows.map((row) => row.id)
}

/**
 * Pauses those that the catalog does not have any more; their history stays. The revision is for
 * the caller to open. @returns their ids
 */
export const pauseOtherChecks = async (
  transaction: Transaction,
  checks: readonly CatalogCheck[],
  nowMs: number,
): Promise<string[]> => {
  const now = new Date(nowMs)
  const rows = await transaction<{ id: string }[]>`
    update checks set paused = true, revision = revision + 1,
      valid_from = greatest(valid_from, ${now}), updated_at = greatest(valid_from, ${now})
    where account_id = ${catalogAccountId} and not paused
      and not exists (
        select from unnest(${checks.map((check) => check.checkId)}::uuid[]) as wanted (id)
        where wanted.id = checks.id)
    returning id`
  return rows.map((row) => row.id)
}

/** The checks as a table `wanted`; of the assertions those that are set, as `checks` stores them. */
const wantedRows = (transaction: Transaction, checks: readonly CatalogCheck[]) => {
  const rows = checks.map(({ checkId, name, url, assertions }) => ({
    id: checkId,
    partition: partitionOf(checkId),
    name,
    url,
    assertions: Object.fromEntries(
      Object.entries(assertions).filter(([, value]) => value !== null),
    ),
  }))
  return transaction`
    jsonb_to_recordset(${transaction.json(rows)})
      as wanted (id uuid, partition smallint, name text, url text, assertions jsonb)`
}
