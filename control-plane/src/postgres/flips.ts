import type { CheckStatus } from '@probe-mesh/contracts/check'
import type { FlipRow } from '../status/uptime.ts'
import type { Connection } from './connect.ts'

/** Flips read for one uptime; a check that flips more often is judged by its newest ones. */
const flipsMax = 20_000

/** The flips since `sinceMs` and the last one before it, oldest first: what uptime is made of. */
export const findFlips = async (
  connection: Connection,
  checkId: string,
  sinceMs: number,
): Promise<FlipRow[]> => {
  const since = new Date(sinceMs)
  const rows = await connection<{ from_status: CheckStatus; to_status: CheckStatus; at: Date }[]>`
    (select from_status, to_status, at, version from flips
      where check_id = ${checkId} and at >= ${since} order by at desc, version desc limit ${flipsMax})
    union all
    (select from_status, to_status, at, version from flips
      where check_id = ${checkId} and at < ${since} order by at desc, version desc limit 1)
    order by at desc, version desc`
  return rows
    .toReversed()
    .map((row) => ({ from: row.from_status, to: row.to_status, atMs: row.at.getTime() }))
}
