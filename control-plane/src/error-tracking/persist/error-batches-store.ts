import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { allottedMaps } from '../events/allotted-maps.ts'
import { monthOf } from '../events/quota.ts'
import type { Connection, Sql, Transaction } from '../../stores/postgres/connect.ts'
import { recordPoison } from '../../mesh/ingest/ingest-batches-store.ts'
import type { Poison } from '../../readings/poison.ts'
import { heldLeases } from '../../stores/leases/leases-store.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { useSourceMaps } from '../source-maps/error-source-maps-store.ts'
import { Rehearsed } from '../../stores/postgres/rejected.ts'
import { transact } from '../../stores/postgres/transact.ts'

/** Why an event of a batch is not stored; `gone`: its project was deleted, `store`: Postgres refuses it. */
type ErrorDecision = 'duplicate' | 'quota' | 'gone' | 'store'

/** Messages of one partition that are stored together: so many, from `first` to `last`. */
export type ErrorBatch = {
  partition: number
  token: string
  first: number
  last: number
  messages: number
  /** The latest instant at which the stream took one of them, Unix ms. */
  lastStoredAtMs: number
  createdAtMs: number
}

/** An event of a batch as it is decided about. */
type ErrorArrival = { projectId: string; eventId: string; receivedAtMs: number }

/** null where the batch would need more maps than one may. */
export type BatchSourceMap = { projectId: string; debugId: string; mapId: string | null }

export type RecordedErrorBatch = {
  batch: ErrorBatch
  /** By position among the batch's events; those that are missing are stored. */
  decisions: ReadonlyMap<number, ErrorDecision>
  /** The source maps that its events are read by, whatever is uploaded or deleted after. */
  sourceMaps: readonly BatchSourceMap[]
}

/** Where a partition's counts are: everything up to here is counted. */
export type Watermark = { sequence: number; storedAtMs: number }

type Held = { accountId: string; month: string; events: number }

const none: ReadonlySet<number> = new Set()

/**
 * Decides about the events of a batch and notes that, in one transaction: which are of deleted
 * projects, which ids were taken before, which go beyond the month of their account. Accounts are
 * locked, and what other batches hold counts as spent, so that a quota is exact at its border however
 * many persisters there are.
 * @param isRehearsal whether only to see if Postgres takes it: then nothing stays written
 * @returns what was decided; null where the lease is gone: then nothing is written
 * @throws Rehearsed where a rehearsal went well
 */
export const recordErrorBatch = (
  sql: Sql,
  lease: Lease,
  batch: ErrorBatch,
  asked: {
    arrivals: readonly ErrorArrival[]
    /** Positions of arrivals that Postgres refuses for what they are. */
    refused?: ReadonlySet<number>
    poison: readonly Poison[]
    quotaOf(tier: Tier): number
    /** In the order in which they are needed. */
    wantedMaps: readonly { projectId: string; debugId: string }[]
  },
  isRehearsal = false,
): Promise<RecordedErrorBatch | null> =>
  transact(sql, async (tx) => {
    if (!(await isHeld(tx, lease))) return null
    const { arrivals, refused = none } = asked
    const owners = await lockOwners(tx, [...new Set(arrivals.map(({ projectId }) => projectId))])
    const isNew = await claimIds(
      tx,
      arrivals.filter(({ projectId }, at) => owners.has(projectId) && !refused.has(at)),
    )
    const decisions = new Map<number, ErrorDecision>()
    const wanting: { position: number; accountId: string; month: string; tier: Tier }[] = []
    for (const [position, arrival] of arrivals.entries()) {
      const owner = owners.get(arrival.projectId)
      if (owner === undefined) decisions.set(position, 'gone')
      else if (refused.has(position)) decisions.set(position, 'store')
      else if (!isNew.delete(idKey(arrival))) decisions.set(position, 'duplicate')
      else wanting.push({ position, ...owner, month: monthOf(arrival.receivedAtMs) })
    }
    const spent = await findSpent(tx, wanting)
    const held = new Map<string, Held>()
    for (const { position, accountId, month, tier } of wanting) {
      const key = `${accountId} ${month}`
      const holding = held.get(key) ?? { accountId, month, events: 0 }
      if ((spent.get(key) ?? 0) + holding.events >= asked.quotaOf(tier)) {
        decisions.set(position, 'quota')
        continue
      }
      held.set(key, { ...holding, events: holding.events + 1 })
    }
    const found = await useSourceMaps(tx, asked.wantedMaps, batch.createdAtMs)
    const sourceMaps = allottedMaps(asked.wantedMaps, found)
    await insertBatch(tx, batch, { decisions, sourceMaps }, [...held.values()])
    for (const poison of asked.poison) await recordPoison(tx, poison)
    if (isRehearsal) throw new Rehearsed()
    return { batch, decisions, sourceMaps }
  })

const isHeld = async (tx: Transaction, lease: Lease): Promise<boolean> => {
  const rows = await tx`with ${heldLeases(tx, [lease])} select partition from held`
  return rows.length === 1
}
export { isHeld as isErrorLeaseHeld }

type Owner = { accountId: string; tier: Tier }

/** Accounts first and each in the order of its id: so does whoever changes a project. */
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

/** @returns those that nobody has taken before, as `idKey` */
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

/** Which of these events were taken in the last 30 days, as `<project> <32 hexadecimal digits>`. */
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

/** What is spent of each account's month, by `<account> <month>`: one snapshot of all three parts. */
const findSpent = async (
  tx: Transaction,
  wanting: readonly { accountId: string; month: string }[],
): Promise<Map<string, number>> => {
  const pairs = new Map(
    wanting.map(({ accountId, month }) => [`${accountId} ${month}`, { accountId, month }]),
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
  admitted: readonly Held[],
): Promise<void> => {
  const maps = sourceMaps.map(({ projectId, debugId, mapId }) => [projectId, debugId, mapId])
  await tx`
    insert into error_batches (partition, token, first_sequence, last_sequence, messages,
      last_stored_at_ms, outcomes, admitted, source_maps, created_at)
    values (${batch.partition}, ${batch.token}, ${batch.first}, ${batch.last}, ${batch.messages},
      ${batch.lastStoredAtMs}, ${tx.json([...decisions])}, ${tx.json([...admitted])},
      ${tx.json(maps)}, ${new Date(batch.createdAtMs)})`
}

/** The batch of a partition that was recorded and not finished. */
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

/** Gives up a batch whose messages the stream has lost: what it holds of a quota is free again. */
export const abandonErrorBatch = (sql: Sql, lease: Lease, token: string): Promise<void> =>
  transact(sql, async (tx) => {
    if (await isHeld(tx, lease)) await tx`delete from error_batches where token = ${token}`
  })
