import type { Region } from '@probe-mesh/contracts/reading/regions'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'
import type { Connection } from '../../stores/postgres/connect.ts'

/** Days that a burst is stored: at least as long as readings are replayed. */
const keptDays = 40
/** Bursts read for one replay, the newest. */
const burstsMax = 2_000

/** A time in which silence of a region that began at `sinceMs` or later counted as unmeasured. Unix ms. */
export type BurstSpan = { region: Region; sinceMs: number; fromMs: number; toMs: number }

/** Stores when bursts were applied; control planes that see the same one widen one row. */
export const keepBursts = async (db: Connection, bursts: readonly BurstSpan[]): Promise<void> => {
  const rows = bursts.map(({ region, sinceMs, fromMs, toMs }) => ({
    region,
    since: new Date(sinceMs),
    from_at: new Date(fromMs),
    to_at: new Date(toMs),
  }))
  await db`
    with forgotten as (
      delete from region_bursts where to_at < now() - make_interval(days => ${keptDays})
    )
    insert into region_bursts (region, since, from_at, to_at)
    select region, since, from_at, to_at from jsonb_to_recordset(${db.json(rows as never)})
      as new (region text, since timestamptz, from_at timestamptz, to_at timestamptz)
    on conflict (region, since) do update set
      from_at = least(region_bursts.from_at, excluded.from_at),
      to_at = greatest(region_bursts.to_at, excluded.to_at)`
}

/** The bursts that were applied at `fromMs` or later. */
export const findBursts = async (db: Connection, fromMs: number): Promise<BurstSpan[]> => {
  const rows = await db<BurstSpan[]>`
    select region, ${epochMs(db, 'since')} as "sinceMs", ${epochMs(db, 'from_at')} as "fromMs",
      ${epochMs(db, 'to_at')} as "toMs"
    from region_bursts where to_at >= ${new Date(fromMs)} order by from_at desc limit ${burstsMax}`
  return [...rows]
}
