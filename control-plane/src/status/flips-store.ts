import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { FlipRow } from './spans.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** Flips read for one uptime. If a check flips more often, its older time is unknown. */
export const flipsMax = 20_000

/**
 * The flips since `sinceMs` and the last one before it, oldest first, to compute uptime. If there are too
 * many, the one before is left out too, since the gap in between is unknown.
 */
export const findFlips = async (db: Connection, checkId: string, sinceMs: number): Promise<FlipRow[]> => {
  const since = new Date(sinceMs)
  const rows = await db<FlipRow[]>`
    select from_status as "from", to_status as "to", none_up as "noneUp", ${epochMs(db, 'at')} as "atMs"
    from (
      (select * from flips
        where check_id = ${checkId} and at >= ${since} order by at desc, version desc limit ${flipsMax})
      union all
      (select * from flips
        where check_id = ${checkId} and at < ${since} order by at desc, version desc limit 1)
    ) as found order by at desc, version desc`
  return rows.slice(0, flipsMax).toReversed()
}

/** Flips read for each check. Beyond this limit, the older time of a check counts as unknown. */
export const flipsPerCheckMax = 1_000

/**
 * The flips of these checks since `sinceMs`, with the last one before it, oldest first. For a check over the
 * limit, older flips and the one before are left out: the time between them is unknown.
 */
export const findFlipsOfChecks = async (
  db: Connection,
  checkIds: readonly string[],
  sinceMs: number,
): Promise<Map<string, FlipRow[]>> => {
  const since = new Date(sinceMs)
  const rows = await db<
    { checkId: string; from: CheckStatus; to: CheckStatus; noneUp: boolean; atMs: number }[]
  >`
    with newest as (
      select flip.* from unnest(${[...checkIds]}::uuid[]) as asked (id)
        cross join lateral (
          select * from flips where check_id = asked.id and at >= ${since}
          order by at desc, version desc limit ${flipsPerCheckMax}) as flip
    ),
    before as (
      select flip.* from unnest(${[...checkIds]}::uuid[]) as asked (id)
        cross join lateral (
          select * from flips where check_id = asked.id and at < ${since}
          order by at desc, version desc limit 1) as flip
      where (select count(*) from newest where check_id = asked.id) < ${flipsPerCheckMax}
    )
    select check_id as "checkId", from_status as "from", to_status as "to",
      none_up as "noneUp", ${epochMs(db, 'at')} as "atMs"
    from (select * from newest union all select * from before) as flip
    order by at, version`
  const byCheck = Map.groupBy(rows, ({ checkId }) => checkId)
  return new Map(
    [...byCheck].map(([id, flips]) => [
      id,
      flips.map(({ from, to, noneUp, atMs }) => ({ from, to, noneUp, atMs })),
    ]),
  )
}

/**
 * The part of a statement that records flips with their outbox rows, for live pages (`flip`) and for alert
 * rules (`alert`). It reads a table `flipped` with `id, outbox_id, check_id, version, from_status, to_status,
 * reason, unconfirmed, none_up, at, payload`. If the status stays the same, only alert rules are notified.
 */
export const recordFlipped = (db: Connection, at: Date) => db`
    recorded as (
      insert into flips (id, check_id, version, from_status, to_status, reason, unconfirmed,
        none_up, at)
      select id, check_id, version, from_status, to_status, reason, unconfirmed, none_up, at
      from flipped
    ),
    queued as (
      insert into outbox (id, kind, payload, created_at, next_attempt_at)
      select case kind when 'flip' then outbox_id else gen_random_uuid() end, kind, payload,
        ${at}::timestamptz, ${at}::timestamptz
      from flipped cross join unnest(array['flip', 'alert']) as kind
      where kind = 'alert' or from_status <> to_status
      order by at, version
    )`
