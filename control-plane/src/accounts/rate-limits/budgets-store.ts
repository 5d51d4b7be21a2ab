import type { Connection } from '../../stores/postgres/connect.ts'

export type BudgetName = 'reads' | 'writes'

/** Whose budget it is, how large, and the terms that all instances count it by. */
export type CountedBudget = {
  keyId: string
  accountId: string
  name: BudgetName
  /** Calls within any `windowMs`. */
  quota: number
  windowMs: number
  /** How long an instance may use a block that it was handed. */
  blockMs: number
  /** Uses this close to each other are kept as one, of the latest instant. */
  slotMs: number
  /** Refused calls that may be promised a place of their own at a time. */
  promisesMax: number
}

/** Places used: how many milliseconds ago, how many. */
export type Use = readonly [ageMs: number, places: number]

export type Trade = {
  /** Calls that wait for a place. */
  wanted: number
  /** Places asked for beyond, as a block with the id `block`. */
  spare: number
  /** Waits asked for beyond those of the calls that are refused. */
  stock: number
  block: string
  /** What was used of earlier blocks; of none (null) while Postgres was away. The rest goes back. */
  returned: readonly { block: string | null; uses: readonly Use[] }[]
}

export type Traded = {
  granted: number
  handed: number
  /** What nobody has, after this trade. */
  left: number
  /** Until the oldest use leaves the window. */
  resetMs: number
  /** How long there is nothing to be had. */
  shutMs: number
  /** Whole seconds, for each refused call and then for those to come: each for another place. */
  waitsMs: number[]
  /** No more calls can be promised a place of their own. */
  allPromised: boolean
}

/**
 * Trades places of a key's budget in one statement (migration 0011): exact over all instances. Sent
 * again after an answer that got lost, what is returned counts once.
 * @param givenMs stands for the database's clock; null: its own
 */
export const tradePlaces = async (
  sql: Connection,
  budget: CountedBudget,
  trade: Trade,
  givenMs: number | null,
): Promise<Traded> => {
  const [row] = await sql<Traded[]>`
    select granted, handed, places_left as "left", reset_ms as "resetMs", shut_ms as "shutMs",
      waits_ms as "waitsMs", all_promised as "allPromised"
    from trade_places(${budget.keyId}, ${budget.accountId}, ${budget.name}, ${budget.quota},
      ${budget.windowMs}, ${budget.blockMs}, ${budget.slotMs}, ${budget.promisesMax},
      ${trade.wanted}, ${trade.spare}, ${trade.stock}, ${trade.block},
      ${sql.json(trade.returned)}, ${givenMs}::double precision)`
  if (row === undefined) throw new Error('trade_places answers with one row')
  return row
}

/** Places of a key's budgets that are used or in a block at this moment; takes no lock. */
export const findUsedPlaces = async (
  sql: Connection,
  keyId: string,
  windowMs: number,
  givenMs: number | null,
): Promise<{ name: BudgetName; used: number; resetMs: number }[]> =>
  await sql<{ name: BudgetName; used: number; resetMs: number }[]>`
    select budget as name, sum(places)::integer as used,
      min(at) + ${windowMs}::double precision - now_ms as "resetMs"
    from budgets
    cross join lateral unnest(uses)
    cross join (select coalesce(${givenMs}::double precision,
      extract(epoch from clock_timestamp()) * 1000) as now_ms) clock
    where key_id = ${keyId} and at > now_ms - ${windowMs}::double precision
    group by budget, now_ms`

/** Forgets budgets that nobody has used for as long. @returns how many */
export const pruneBudgets = async (sql: Connection, idleMs: number): Promise<number> => {
  const rows = await sql`
    delete from budgets
    where touched_at < clock_timestamp() - make_interval(secs => ${idleMs / 1000})`
  return rows.count
}
