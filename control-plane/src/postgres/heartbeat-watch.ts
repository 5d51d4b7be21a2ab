import type { Outage } from '../heartbeat/outage.ts'
import type { Connection, Sql } from './connect.ts'

/** Outages older than the longest period and grace together decide nothing any more. */
const keptMs = 2 * 366 * 86_400_000
const outagesMax = 1_000

/**
 * Says that a control plane is here to take pings. Where nobody was for a while, whoever comes
 * first writes that down, before anybody can see that he is here.
 * @param outageSince the outage, if it is one, from when somebody was last here until now
 */
export const keepWatch = async (
  sql: Sql,
  nowMs: number,
  outageSince: (seenAtMs: number, nowMs: number) => Outage | null,
): Promise<Outage | null> =>
  await sql.begin(async (tx) => {
    const now = new Date(nowMs)
    await tx`insert into heartbeat_watch (seen_at) values (${now}) on conflict do nothing`
    const [row] = await tx<{ seen_at: Date }[]>`select seen_at from heartbeat_watch for update`
    const outage = row === undefined ? null : outageSince(row.seen_at.getTime(), nowMs)
    if (outage !== null) {
      await tx`
        insert into heartbeat_outages (from_at, to_at)
        values (${new Date(outage.fromMs)}, ${new Date(outage.toMs)})
        on conflict (from_at) do update set to_at = greatest(heartbeat_outages.to_at, excluded.to_at)`
      await tx`delete from heartbeat_outages where to_at < ${new Date(nowMs - keptMs)}`
    }
    await tx`update heartbeat_watch set seen_at = greatest(seen_at, ${now})`
    return outage
  })

/** Every outage that may still decide something, in order of time. */
export const findOutages = async (connection: Connection): Promise<Outage[]> => {
  const rows = await connection<{ from_at: Date; to_at: Date }[]>`
    select from_at, to_at from heartbeat_outages order by from_at desc limit ${outagesMax}`
  return rows
    .toReversed()
    .map((row) => ({ fromMs: row.from_at.getTime(), toMs: row.to_at.getTime() }))
}
