import { findPageWindows, isCovered, nextLookMs } from '../maintenance/maintenance-hold.ts'
import { lockPagesOfChecks } from './joinable-incidents-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from '../alerts/watched-checks-store.ts'
import type { AlertContext } from '../alerts/context.ts'
import { failuresOf, openOrJoin, type ExplainedFailure } from './open-incidents.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/**
 * Processes failures that maintenance held: a check that is still down when maintenance is over gets its
 * incident then.
 * @returns how many checks were processed
 */
export const releaseHeld = (context: AlertContext, limit: number): Promise<number> =>
  transact(context.sql, async (tx) => {
    const nowMs = context.now()
    const due = await findDueHeldChecks(tx, nowMs, limit)
    if (due.length === 0) return 0
    const checks = await lockWatchedChecksShared(tx, due)
    const published = await lockPagesOfChecks(tx, due)
    const windows = await findPageWindows(tx, due, { fromMs: nowMs, toMs: nowMs })
    const released: ExplainedFailure[] = []
    for (const held of await takeHeldFailures(tx, due, nowMs)) {
      const { checkId, statusPageId, reason, downAtMs } = held
      const check = checks.get(checkId)
      if (check === undefined || check.paused || check.state.status !== 'down') continue
      const covering = windows.filter(
        (window) => window.checkId === checkId && window.statusPageId === statusPageId,
      )
      if (isCovered(covering, nowMs)) {
        const nextMs = nextLookMs(covering, nowMs, nowMs)
        await holdFailures(tx, [{ ...held, accountId: check.accountId, nextMs }])
        continue
      }
      const failures = failuresOf({ reason, atMs: downAtMs }, check, published, nowMs)
      released.push(...failures.filter((failure) => failure.statusPageId === statusPageId))
    }
    await openOrJoin(tx, released, nowMs, { wasHeld: true })
    return due.length
  })

/** A check that went down during maintenance of a page. Times are Unix milliseconds. */
export type HeldFailure = {
  statusPageId: string
  checkId: string
  reason: string | null
  downAtMs: number
}

/** Holds failures until `nextMs`, also those that are held already. */
export const holdFailures = async (
  tx: Transaction,
  failures: readonly (HeldFailure & { accountId: string; nextMs: number })[],
): Promise<void> => {
  if (failures.length === 0) return
  const rows = failures.map((failure) => ({
    status_page_id: failure.statusPageId,
    check_id: failure.checkId,
    account_id: failure.accountId,
    reason: failure.reason,
    down_at: new Date(failure.downAtMs).toISOString(),
    next_at: new Date(failure.nextMs).toISOString(),
  }))
  await tx`
    insert into held_failures (status_page_id, check_id, account_id, reason, down_at, next_at)
    select * from jsonb_to_recordset(${tx.json(rows)}) as f (status_page_id uuid,
      check_id uuid, account_id uuid, reason text, down_at timestamptz, next_at timestamptz)
    on conflict (status_page_id, check_id) do update set next_at = excluded.next_at`
}

/** Deletes the held failures of checks that are no longer down. */
export const dropHeldFailures = async (tx: Transaction, checkIds: readonly string[]): Promise<void> => {
  await tx`
    delete from held_failures where check_id = any(${[...checkIds]}::uuid[])`
}

/** Checks with a held failure that is due. */
const findDueHeldChecks = async (tx: Transaction, nowMs: number, limit: number): Promise<string[]> => {
  const rows = await tx<{ check_id: string }[]>`
    select distinct check_id from (
      select check_id from held_failures where next_at <= ${new Date(nowMs)}
      order by next_at limit ${limit}) as due`
  return rows.map((row) => row.check_id)
}

/** Removes and returns the due held failures of these checks. */
const takeHeldFailures = async (
  tx: Transaction,
  checkIds: readonly string[],
  nowMs: number,
): Promise<HeldFailure[]> =>
  await tx<HeldFailure[]>`
    delete from held_failures
    where check_id = any(${[...checkIds]}::uuid[]) and next_at <= ${new Date(nowMs)}
    returning status_page_id as "statusPageId", check_id as "checkId", reason,
      ${epochMs(tx, 'down_at')} as "downAtMs"`
