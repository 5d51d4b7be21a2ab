import type { WatchedCheck } from '../alerts/evidence.ts'
import { findPageWindows, isCovered, nextLookMs, type PageWindow } from '../maintenance/maintenance-hold.ts'
import type { NewFlip } from '../alerts/alert-flips-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { explainFailures } from './explain-failures.ts'
import { dropHeldFailures, holdFailures } from './held-failures.ts'
import { lockPagesOfChecks } from './joinable-incidents-store.ts'
import { leaveIncidents, reportUnmeasured } from './leave-incidents.ts'
import { failuresOf, openOrJoin } from './open-incidents.ts'

/**
 * Applies flips to automatic incidents. A check that goes down opens an incident on each page that publishes
 * it, or joins the one of the same cause; the last recovery resolves it. Maintenance of the page holds new
 * incidents. Automatic incidents send no mail.
 */
export const recordIncidents = async (
  tx: Transaction,
  checks: ReadonlyMap<string, WatchedCheck>,
  flips: readonly NewFlip[],
  nowMs: number,
): Promise<void> => {
  const decisive = flips.filter(({ to }) => to !== 'unknown')
  if (decisive.length === 0) return
  const checkIds = [...new Set(decisive.map((flip) => flip.checkId))]
  const published = await lockPagesOfChecks(tx, checkIds)
  const fromMs = Math.min(nowMs, ...decisive.map(({ atMs }) => atMs))
  const windows = await findPageWindows(tx, checkIds, { fromMs, toMs: nowMs })
  for (const round of roundsOf(decisive)) {
    const found = round
      .filter(({ to }) => to === 'down')
      .flatMap((flip) => {
        const check = checks.get(flip.checkId)
        return check === undefined ? [] : failuresOf(flip, check, published, nowMs)
      })
    const failures = await explainFailures(tx, found, nowMs)
    const held = failures.flatMap((failure) => {
      const nextMs = heldUntilMs(failure, windows, nowMs)
      return nextMs === null ? [] : [{ ...failure, nextMs }]
    })
    await holdFailures(tx, held)
    const kept = new Set(held.map(keyOf))
    await openOrJoin(
      tx,
      failures.filter((failure) => !kept.has(keyOf(failure))),
      nowMs,
    )
    const over = round.filter(({ to }) => to === 'operational' || to === 'degraded')
    if (over.length > 0)
      await dropHeldFailures(
        tx,
        over.map(({ checkId }) => checkId),
      )
    await leaveIncidents(tx, over, nowMs)
    // a paused check leaves its incidents soon, with its reason (`closeAbandoned`)
    const silent = round.filter(({ checkId, to }) => to === 'stale' && checks.get(checkId)?.paused !== true)
    await reportUnmeasured(
      tx,
      silent.map(({ checkId }) => checkId),
      nowMs,
    )
  }
}

/** When a held failure is due again; null: no maintenance of its page holds it. */
const heldUntilMs = (
  failure: { statusPageId: string; checkId: string; downAtMs: number },
  windows: readonly PageWindow[],
  nowMs: number,
): number | null => {
  const covering = windows.filter(
    (window) => window.checkId === failure.checkId && window.statusPageId === failure.statusPageId,
  )
  const isHeld = isCovered(covering, failure.downAtMs) || isCovered(covering, nowMs)
  return isHeld ? nextLookMs(covering, nowMs, nowMs) : null
}

const keyOf = ({ statusPageId, checkId }: { statusPageId: string; checkId: string }): string =>
  `${statusPageId} ${checkId}`

/** Splits flips into rounds of at most one flip for each check, in order. */
const roundsOf = (flips: readonly NewFlip[]): NewFlip[][] => {
  const counts = new Map<string, number>()
  const rounds: NewFlip[][] = []
  for (const flip of flips) {
    const round = counts.get(flip.checkId) ?? 0
    counts.set(flip.checkId, round + 1)
    ;(rounds[round] ??= []).push(flip)
  }
  return rounds
}
