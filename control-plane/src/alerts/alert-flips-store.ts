import type { SeenFlip } from './when-to-alert.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A flip that the alert rules have not processed yet. */
export type NewFlip = SeenFlip & { checkId: string; version: number }

/** An open outbox row about a flip of a check. */
export type FlipRow = { outboxId: string; checkId: string }

/** Open `alert` rows in the order they were written, locked until the transaction ends. */
export const claimFlipRows = async (tx: Transaction, nowMs: number, limit: number): Promise<FlipRow[]> =>
  await tx<FlipRow[]>`
    select id as "outboxId", payload #>> '{flip,checkId}' as "checkId" from outbox
    where kind = 'alert' and done_at is null and next_attempt_at <= ${new Date(nowMs)}
    order by sequence limit ${limit}
    for update skip locked`

/**
 * The flips of these checks that were not processed yet, each check's in order of version. The cursors
 * are locked until the transaction ends. Versions have no gaps: each flip names the previous one.
 * @param checkIds existing checks, locked against deletion
 */
export const consumeFlips = async (tx: Transaction, checkIds: readonly string[]): Promise<NewFlip[]> => {
  const ids = [...checkIds]
  await tx`
    insert into alert_cursors (check_id, account_id, version)
    select id, account_id, 0 from checks where id = any(${ids}::uuid[]) order by id
    on conflict do nothing`
  await tx`
    select from alert_cursors where check_id = any(${ids}::uuid[]) order by check_id for update`
  return await tx<NewFlip[]>`
    with taken as materialized (
      select flips.id, flips.check_id, flips.version, flips.to_status, flips.reason,
        flips.unconfirmed, flips.at
      from flips join alert_cursors on alert_cursors.check_id = flips.check_id
      where flips.check_id = any(${ids}::uuid[]) and flips.version > alert_cursors.version
    ),
    moved as (
      update alert_cursors set version = newest.version
      from (select check_id, max(version) as version from taken group by check_id) as newest
      where alert_cursors.check_id = newest.check_id
    )
    select id, check_id as "checkId", version, to_status as "to", reason, unconfirmed, ${epochMs(tx, 'at')} as "atMs"
    from taken order by at, check_id, version`
}

/** Attempts for each row. After that, the flip is processed together with the check's next one. */
const attemptsMax = 10

/** Postpones a row that failed, so that it does not block others. */
export const postponeFlipRow = async (
  tx: Transaction,
  { outboxId }: Pick<FlipRow, 'outboxId'>,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<void> => {
  await tx`
    update outbox set attempts = attempts + 1, next_attempt_at = ${new Date(untilMs)},
      done_at = case when attempts + 1 >= ${attemptsMax} then ${new Date(nowMs)}::timestamptz end
    where id = ${outboxId} and done_at is null`
}
