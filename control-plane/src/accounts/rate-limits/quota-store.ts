import type { Connection } from '../../stores/postgres/connect.ts'

export type QuotaName = 'reads' | 'writes'

/** A quota of one key, and how all instances count it. */
export type CountedQuota = {
  keyId: string
  accountId: string
  name: QuotaName
  /** Calls within any `windowMs`. */
  quota: number
  windowMs: number
  /** How long an instance may use a leased block. */
  blockMs: number
  /** Uses this close to each other are stored as one, at the latest instant. */
  slotMs: number
  /** Refused calls that may hold a promised place at a time. */
  promisesMax: number
}

/** Places used: how many milliseconds ago, how many. */
type Use = readonly [ageMs: number, places: number]

export type SyncRequest = {
  /** Calls that wait for a place. */
  wanted: number
  /** Places requested in addition, as a leased block with the id `block`. */
  blockPlaces: number
  /** Waits requested in addition to those of the refused calls. */
  promisesAhead: number
  block: string
  /** Uses of earlier blocks, or of none (null) while Postgres was unavailable. Unused places are returned. */
  returned: readonly { block: string | null; uses: readonly Use[] }[]
}

export type SyncResult = {
  granted: number
  /** Places in the leased block. */
  leased: number
  /** Places that no instance holds after this statement. */
  left: number
  /** Until the oldest use leaves the window. */
  resetMs: number
  /** How long no place will be free. */
  exhaustedMs: number
  /** Whole seconds, for each refused call and then for those to come: each for another place. */
  waitsMs: number[]
  /** No further call can be promised a place. */
  allPromised: boolean
}

/**
 * Reports uses and takes places of a quota in one statement (migration 0011): exact over all instances. If a
 * lost result is requested again, its report counts once.
 * @param givenMs replaces the database's clock; null: its own
 */
export const syncQuota = async (
  db: Connection,
  quota: CountedQuota,
  request: SyncRequest,
  givenMs: number | null,
): Promise<SyncResult> => {
  const [row] = await db<SyncResult[]>`
    select granted, handed as leased, places_left as "left", reset_ms as "resetMs", shut_ms as "exhaustedMs",
      waits_ms as "waitsMs", all_promised as "allPromised"
    from trade_places(${quota.keyId}, ${quota.accountId}, ${quota.name}, ${quota.quota},
      ${quota.windowMs}, ${quota.blockMs}, ${quota.slotMs}, ${quota.promisesMax},
      ${request.wanted}, ${request.blockPlaces}, ${request.promisesAhead}, ${request.block},
      ${db.json(request.returned)}, ${givenMs}::double precision)`
  if (row === undefined) throw new Error('trade_places answers with one row')
  return row
}

/** Places of a key's quotas that are used or leased now. Takes no lock. */
export const findUsedPlaces = async (
  db: Connection,
  keyId: string,
  windowMs: number,
  givenMs: number | null,
): Promise<{ name: QuotaName; used: number; resetMs: number }[]> =>
  await db<{ name: QuotaName; used: number; resetMs: number }[]>`
    select budget as name, sum(places)::integer as used,
      min(at) + ${windowMs}::double precision - now_ms as "resetMs"
    from budgets
    cross join lateral unnest(uses)
    cross join (select coalesce(${givenMs}::double precision,
      extract(epoch from clock_timestamp()) * 1000) as now_ms) clock
    where key_id = ${keyId} and at > now_ms - ${windowMs}::double precision
    group by budget, now_ms`

/** Deletes quotas that were not used for `idleMs`. @returns how many */
export const pruneQuotas = async (db: Connection, idleMs: number): Promise<number> => {
  const rows = await db`
    delete from budgets
    where touched_at < clock_timestamp() - make_interval(secs => ${idleMs / 1000})`
  return rows.count
}
