import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { FlipRow } from './spans.ts'
import type { Connection } from '../stores/postgres/connect.ts'

/** Flips read for one uptime; of a check that flips more often, the older time is not known. */
export const flipsMax = 20_000

/**
 * The flips since `sinceMs` and the last one before it, oldest first: what uptime is made of. Where there
 * are more than are read, the one before is left out as well: nothing may stand for what lies between.
 */
export const findFlips = async (
  connection: Connection,
  checkId: string,
  sinceMs: number,
): Promise<FlipRow[]> => {
  const since = new Date(sinceMs)
  const rows = await connection<FlipColumns[]>`
    (select from_status, to_status, none_up, at, version from flips
      where check_id = ${checkId} and at >= ${since} order by at desc, version desc limit ${flipsMax})
    union all
    (select from_status, to_status, none_up, at, version from flips
      where check_id = ${checkId} and at < ${since} order by at desc, version desc limit 1)
    order by at desc, version desc`
  return rows
    .slice(0, flipsMax)
    .toReversed()
    .map((row) => ({
      from: row.from_status,
      to: row.to_status,
      noneUp: row.none_up,
      atMs: row.at.getTime(),
    }))
}

type FlipColumns = { from_status: CheckStatus; to_status: CheckStatus; none_up: boolean; at: Date }

/**
 * The part of a statement that records flips and what is told of each, to live pages (`flip`) and to
 * the alert rules (`alert`): of rows named `flipped`, with `id, outbox_id, check_id, version,
 * from_status, to_status, reason, unconfirmed, none_up, at, payload`. Where the status stays, only the rules are told.
 */
export const keepFlipped = (connection: Connection, at: Date) => connection`
    kept as (
      insert into flips (id, check_id, version, from_status, to_status, reason, unconfirmed,
        none_up, at)
      select id, check_id, version, from_status, to_status, reason, unconfirmed, none_up, at
      from flipped
    ),
    told as (
      insert into outbox (id, kind, payload, created_at, next_attempt_at)
      select case kind when 'flip' then outbox_id else gen_random_uuid() end, kind, payload,
        ${at}::timestamptz, ${at}::timestamptz
      from flipped cross join unnest(array['flip', 'alert']) as kind
      where kind = 'alert' or from_status <> to_status
      order by at, version
    )`
