import { findPageWindows, isCovered, nextLookMs } from '../maintenance/maintenance-hold.ts'
import { findDueHeldChecks, holdFailures, takeHeldFailures } from './held-failures-store.ts'
import { lockPagesOfChecks } from './joinable-incidents-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from '../alerts/watched-checks-store.ts'
import type { AlertContext } from '../alerts/context.ts'
import { failuresOf, openOrJoin } from './open-incidents.ts'
import type { ExplainedFailure } from './open-incidents.ts'

/**
 * Looks at failures that maintenance keeps back: what is still down when it is over has its incident then.
 * @returns how many checks were looked at
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
