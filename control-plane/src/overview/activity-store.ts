import { activityMax, type Overview } from '@probe-mesh/contracts/overview/overview'
import { windowState } from '../maintenance/window.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

type Flip = Overview['activity']['flips'][number]
type Windows = Overview['activity']['maintenance']

/**
 * The newest status changes of an account since an instant, newest first. They can only be of the checks that
 * changed last, so no others are read.
 */
export const findNewestFlips = async (
  tx: Transaction,
  accountId: string,
  sinceMs: number,
): Promise<{ flips: Flip[]; more: boolean }> => {
  const since = new Date(sinceMs)
  const rows = await tx<(Omit<Flip, 'at'> & { at: Date })[]>`
    with changed as materialized (
      select checks.id, checks.name, checks.type
      from checks join check_states on check_states.check_id = checks.id
      where checks.account_id = ${accountId} and check_states.status_since >= ${since}
      order by check_states.status_since desc limit ${activityMax + 1}
    )
    select flip.at, changed.id as "checkId", changed.name as "checkName", changed.type as "checkType",
      flip.from_status as "from", flip.to_status as "to", flip.reason
    from changed cross join lateral (
      select * from flips
      where check_id = changed.id and at >= ${since} and from_status <> to_status
      order by at desc, version desc limit ${activityMax + 1}) as flip
    order by flip.at desc, flip.check_id, flip.version desc limit ${activityMax + 1}`
  const flips = rows.map(({ at, ...flip }) => ({ at: at.toISOString(), ...flip }))
  return { flips: flips.slice(0, activityMax), more: rows.length > activityMax }
}

/** The maintenance windows of an account with some time since an instant, the one that ends last first. */
export const findRecentWindows = async (
  tx: Transaction,
  accountId: string,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<Windows> => {
  const rows = await tx<
    { id: string; statusPageId: string; title: string; startsAtMs: number; endsAtMs: number }[]
  >`
    select id, status_page_id as "statusPageId", title, ${epochMs(tx, 'starts_at')} as "startsAtMs",
      ${epochMs(tx, 'ends_at')} as "endsAtMs"
    from maintenance_windows
    where account_id = ${accountId} and starts_at <= ${new Date(nowMs)} and ends_at > ${new Date(sinceMs)}
      and cancelled_at is null
    order by ends_at desc, id desc limit ${activityMax}`
  return rows.map(({ id, statusPageId, title, startsAtMs, endsAtMs }) => ({
    id,
    statusPageId,
    title,
    startsAt: new Date(startsAtMs).toISOString(),
    endsAt: new Date(endsAtMs).toISOString(),
    state: windowState({ startsAtMs, endsAtMs }, nowMs),
  }))
}
