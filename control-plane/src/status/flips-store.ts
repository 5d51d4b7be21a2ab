import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { FlipRow } from './known-spans.ts'
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
