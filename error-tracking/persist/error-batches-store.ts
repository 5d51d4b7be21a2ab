import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { allottedMaps } from '../events/allotted-maps.ts'
import { monthOf } from '../events/quota.ts'
import type { Connection, Sql, Transaction } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import { recordPoison } from '@probe-mesh/control-plane/src/readings/poison-store'
import type { Poison } from '@probe-mesh/control-plane/src/readings/poison'
import { heldLeases, type Lease } from '@probe-mesh/control-plane/src/stores/leases/leases-store'
import { useSourceMaps } from '../source-maps/error-source-maps-store.ts'
import { Rehearsed } from '@probe-mesh/control-plane/src/stores/postgres/rejected'
import { transact } from '@probe-mesh/control-plane/src/stores/postgres/transact'

/** The reason to drop an event of a batch. `gone`: its project was deleted; `store`: Postgres rejects it. */
type ErrorDecision = 'duplicate' | 'quota' | 'gone' | 'store'

/** Messages of one partition that are stored together, from sequence `first` to `last`. */
export type ErrorBatch = {
  partition: number
  token: string
  first: number
  last: number
  messages: number
  /** When the stream stored the latest of them, Unix ms. */
  lastStoredAtMs: number
  createdAtMs: number
}

/** The fields of an event that the decision needs. */
type ErrorArrival = { projectId: string; eventId: string; receivedAtMs: number }

/** `mapId` is null beyond the map limit of a batch. */
export type BatchSourceMap = { projectId: string; debugId: string; mapId: string | null }

export type RecordedErrorBatch = {
  batch: ErrorBatch
  /** By position among the batch's events. Events without an entry are stored. */
  decisions: ReadonlyMap<number, ErrorDecision>
  /** The source maps for its events, regardless of later uploads and deletions. */
  sourceMaps: readonly BatchSourceMap[]
}

/** All messages of a partition up to here are counted. */
export type Watermark = { sequence: number; storedAtMs: number }

/** Events of a batch that use the quota and are not counted yet. */
type Admitted = { accountId: string; month: string; events: number }

const none: ReadonlySet<number> = new Set()

/**
 * Decides about the events of a batch and records the decisions, in one transaction: deleted projects,
 * duplicate ids, and used up quotas. Accounts are locked, and events of other recorded batches count as used,
 * so that a quota is exact with concurrent persisters.
 * @param isRehearsal only tests whether Postgres accepts the batch; writes nothing
 * @returns the decisions; null if the lease is lost, and then nothing is written
 * @throws Rehearsed after a successful rehearsal
 */
export const recordErrorBatch = (
  sql: Sql,
  lease: Lease,
  batch: ErrorBatch,
  contents: {
    arrivals: readonly ErrorArrival[]
    /** Positions of arrivals that Postgres rejects for their content. */
    rejected?: ReadonlySet<number>
    poison: readonly Poison[]
    quotaOf(tier: Tier): number
    /** In order of need. */
    wantedMaps: readonly { projectId: string; debugId: string }[]
  },
  isRehearsal = false,
): Promise<RecordedErrorBatch | null> =>
  transact(sql, async (tx) => {
    if (!(await isHeld(tx, lease))) return null
    const { arrivals, rejected = none } = contents
    const owners = await lockOwners(tx, [...new Set(arrivals.map(({ projectId }) => projectId))])
    const isNew = await claimIds(
      tx,
      arrivals.filter(({ projectId }, at) => owners.has(projectId) && !rejected.has(at)),
    )
    const decisions = new Map<number, ErrorDecision>()
    const candidates: { position: number; accountId: string; month: string; tier: Tier }[] = []
    for (const [position, arrival] of arrivals.entries()) {
      const owner = owners.get(arrival.projectId)
      if (owner === undefined) decisions.set(position, 'gone')
      else if (rejected.has(position)) decisions.set(position, 'store')
      else if (!isNew.delete(idKey(arrival))) decisions.set(position, 'duplicate')
      else candidates.push({ position, ...owner, month: monthOf(arrival.receivedAtMs) })
    }
    const spent = await findSpent(tx, candidates)
    const admitted = new Map<string, Admitted>()
    for (const { position, accountId, month, tier } of candidates) {
      const key = `${accountId} ${month}`
      const sum = admitted.get(key) ?? { accountId, month, events: 0 }
      if ((spent.get(key) ?? 0) + sum.events >= contents.quotaOf(tier)) {
        decisions.set(position, 'quota')
        continue
      }
      admitted.set(key, { ...sum, events: sum.events + 1 })
    }
    const found = await useSourceMaps(tx, contents.wantedMaps, batch.createdAtMs)
    const sourceMaps = allottedMaps(contents.wantedMaps, found)
    await insertBatch(tx, batch, { decisions, sourceMaps }, [...admitted.values()])
    for (const poison of contents.poison) await recordPoison(tx, poison)
    if (isRehearsal) throw new Rehearsed()
    return { batch, decisions, sourceMaps }
  })

const isHeld = async (tx: Transaction, lease: Lease): Promise<boolean> => {
  const rows = await tx`with ${heldLeases(tx, [lease])} select partition from held`
  return rows.length === 1
}
export { isHeld as isErrorLeaseHeld }

type Owner = { accountId: string; tier: Tier }

/**
 * Locks accounts before projects, each by id, in the same order as changes of a project, to avoid deadlocks.
 */
const lockOwners = async (tx: Transaction, projectIds: readonly string[]): Promise<Map<string, Owner>> => {
  const accounts = await tx<{ id: string; tier: Tier }[]>`
    select id, tier from accounts
    where id in (select account_id from error_projects where id = any(${[...projectIds]}::uuid[]))
    order by id for no key update`
  const projects = await tx<{ id: string; account_id: string }[]>`
    select id, account_id from error_projects
    where id = any(${[...projectIds]}::uuid[]) order by id for key share`
  const tiers = new Map(accounts.map(({ id, tier }) => [id, tier]))
  return new Map(
    projects.flatMap(({ id, account_id: accountId }) => {
      const tier = tiers.get(accountId)
      return tier === undefined ? [] : [[id, { accountId, tier }]]
    }),
  )
}

const idKey = ({ projectId, eventId }: Pick<ErrorArrival, 'projectId' | 'eventId'>): string =>
  `${projectId} ${eventId.replaceAll('-', '')}`

/** @returns the ids that are new, in the format of `idKey` */
const claimIds = async (tx: Transaction, arrivals: readonly ErrorArrival[]): Promise<Set<string>> => {
  const rows = await tx<{ project_id: string; event_id: string }[]>`
    insert into error_event_ids (project_id, event_id, seen_at)
    select distinct on (project_id, event_id) project_id, event_id, seen_at
    from jsonb_to_recordset(${tx.json(
      arrivals.map(({ projectId, eventId, receivedAtMs }) => ({
        project_id: projectId,
        event_id: eventId,
        seen_at: new Date(receivedAtMs).toISOString(),
      })),
    )}) as a (project_id uuid, event_id uuid, seen_at timestamptz)
    order by project_id, event_id
    on conflict do nothing returning project_id, event_id`
  return new Set(rows.map((row) => idKey({ projectId: row.project_id, eventId: row.event_id })))
}

/** The ids among these that arrived in the last 30 days, as `<project> <32 hexadecimal digits>`. */
export const findKnownEventIds = async (
  sql: Sql,
  events: readonly { projectId: string; eventId: string }[],
): Promise<Set<string>> => {
  const rows = await sql<{ project_id: string; event_id: string }[]>`
    select project_id, event_id from error_event_ids
    where (project_id, event_id) in (
      select "projectId", "eventId"
      from jsonb_to_recordset(${sql.json([...events])}) as e ("projectId" uuid, "eventId" uuid))`
  return new Set(rows.map((row) => idKey({ projectId: row.project_id, eventId: row.event_id })))
}

/**
 * Events that use each account's quota, by `<account> <month>`. One statement reads all three parts
 * consistently.
 */
const findSpent = async (
  tx: Transaction,
  candidates: readonly { accountId: string; month: string }[],
): Promise<Map<string, number>> => {
  const pairs = new Map(
    candidates.map(({ accountId, month }) => [`${accountId} ${month}`, { accountId, month }]),
  )
  const rows = await tx<{ account_id: string; month: string; spent: string }[]>`
    select w."accountId" as account_id, w.month,
      (select coalesce(sum(events), 0) from error_counts c
        where c.account_id = w."accountId" and c.month = w.month::date and outcome = 'stored')
      + (select coalesce(sum(events), 0) from deleted_error_projects d
        where d.account_id = w."accountId" and d.month = w.month::date)
      + (select coalesce(sum((held ->> 'events')::bigint), 0)
        from error_batches, jsonb_array_elements(admitted) as held
        where held ->> 'accountId' = w."accountId"::text and held ->> 'month' = w.month) as spent
    from jsonb_to_recordset(${tx.json([...pairs.values()])}) as w ("accountId" uuid, month text)`
  return new Map(rows.map((row) => [`${row.account_id} ${row.month}`, Number(row.spent)]))
}

const insertBatch = async (
  tx: Transaction,
  batch: ErrorBatch,
  { decisions, sourceMaps }: Pick<RecordedErrorBatch, 'decisions' | 'sourceMaps'>,
  admitted: readonly Admitted[],
): Promise<void> => {
  const maps = sourceMaps.map(({ projectId, debugId, mapId }) => [projectId, debugId, mapId])
  await tx`
    insert into error_batches (partition, token, first_sequence, last_sequence, messages,
      last_stored_at_ms, outcomes, admitted, source_maps, created_at)
    values (${batch.partition}, ${batch.token}, ${batch.first}, ${batch.last}, ${batch.messages},
      ${batch.lastStoredAtMs}, ${tx.json([...decisions])}, ${tx.json([...admitted])},
      ${tx.json(maps)}, ${new Date(batch.createdAtMs)})`
}

/** The recorded and unfinished batch of a partition; null if there is none. */
export const findErrorBatch = async (
  db: Connection,
  partition: number,
): Promise<RecordedErrorBatch | null> => {
  const [row] = await db<
    {
      token: string
      first_sequence: string
      last_sequence: string
      messages: number
      last_stored_at_ms: string
      outcomes: [number, ErrorDecision][]
      source_maps: [string, string, string | null][]
      created_at: Date
    }[]
  >`select token, first_sequence, last_sequence, messages, last_stored_at_ms, outcomes,
      source_maps, created_at
    from error_batches where partition = ${partition}`
  if (row === undefined) return null
  const batch = {
    partition,
    token: row.token,
    first: Number(row.first_sequence),
    last: Number(row.last_sequence),
    messages: row.messages,
    lastStoredAtMs: Number(row.last_stored_at_ms),
    createdAtMs: row.created_at.getTime(),
  }
  const sourceMaps = row.source_maps.map(([projectId, debugId, mapId]) => ({
    projectId,
    debugId,
    mapId,
  }))
  return { batch, decisions: new Map(row.outcomes), sourceMaps }
}

export const findErrorWatermark = async (db: Connection, partition: number): Promise<Watermark | null> => {
  const [row] = await db<{ sequence: string; stored_at_ms: string }[]>`
    select sequence, stored_at_ms from error_watermarks where partition = ${partition}`
  return row === undefined ? null : { sequence: Number(row.sequence), storedAtMs: Number(row.stored_at_ms) }
}

/** Deletes a batch whose messages the stream lost, which frees its part of the quota. */
export const abandonErrorBatch = (sql: Sql, lease: Lease, token: string): Promise<void> =>
  transact(sql, async (tx) => {
    if (await isHeld(tx, lease)) await tx`delete from error_batches where token = ${token}`
  })
