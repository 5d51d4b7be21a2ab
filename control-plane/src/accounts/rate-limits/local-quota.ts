import { randomUUID } from 'node:crypto'
import type { SyncRequest, SyncResult } from './quota-store.ts'
import type { QuotaRules } from './quota-rules.ts'
import { createUseLog, type UseLog } from './use-log.ts'

/** The decision on one call. */
export type Decision = {
  allowed: boolean
  left: number
  /** Until the oldest use leaves the window. */
  resetMs: number
  /** When to retry a refused call. */
  waitMs: number
}

/** One instance's knowledge of one quota of one key: its leased block, and the last result from Postgres. */
export type LocalQuota = {
  /** Decides from memory. null: only Postgres can decide. */
  take(nowMs: number): Decision | null
  /** Decides by the calls of this instance alone, while Postgres is temporarily unavailable. */
  takeLocally(nowMs: number): Decision
  /** The remainder by the last known state. Counts nothing. */
  look(nowMs: number): Decision
  /** Age of the last known state. */
  ageMs(nowMs: number): number
  /** Sets what all instances have used, as Postgres reports it. */
  note(used: number, resetMs: number, nowMs: number): void
  /** The request for `wanted` waiting calls. No block is leased until `finishSync`. */
  startSync(wanted: number, nowMs: number): SyncRequest
  /** Applies the result of a request that was sent at `sentAtMs`; null: there was no result. */
  finishSync(request: SyncRequest, result: SyncResult | null, sentAtMs: number, nowMs: number): Decision[]
  /** Whether a block has expired, or calls were counted without one, so Postgres needs a report. */
  isDue(nowMs: number): boolean
  /** Whether there is nothing to report to Postgres, now or later. */
  isSettled(): boolean
  /** Whether it can be forgotten without losing a count. */
  isIdle(nowMs: number): boolean
}

type Block = { id: string; places: number; leased: number; untilMs: number; uses: UseLog }
/** The unreported uses of a block, or without one. */
type Report = { block: string | null; untilMs: number; uses: UseLog }

/** Counts a use without a block. */
const addUnleased = (reports: Report[], newLog: () => UseLog, nowMs: number): void => {
  const known = reports.find((report) => report.block === null)
  const unleased = known ?? { block: null, untilMs: -Infinity, uses: newLog() }
  if (known === undefined) reports.push(unleased)
  unleased.uses.add(nowMs)
}

/** Reports that wait for Postgres; of more, the oldest is dropped and its block counts as used. */
const reportsMax = 4

export const createLocalQuota = (rules: QuotaRules): LocalQuota => {
  const { quota, windowMs, blockMs, slotMs, blockPlacesMax, promisesMax } = rules
  const newLog = (): UseLog => createUseLog(windowMs, slotMs)
  const own = newLog()
  let block: Block | null = null
  let reports: Report[] = []
  // in a request that is under way
  let sent: Report[] = []
  let known = { left: quota, resetAtMs: 0, atMs: -Infinity }
  let syncedAtMs = -Infinity
  let blockPlaces = 0
  // while the quota is used up: instants to promise to refused calls, and when the next call may be allowed
  let exhaustedUntilMs = -Infinity
  let promisesAhead = 0
  let promised: number[] = []
  let lastPromised: number | null = null
  let refusedLocally = -1

  const state = (nowMs: number): Pick<Decision, 'left' | 'resetMs'> => ({
    left: known.left + (block !== null && nowMs < block.untilMs ? block.places : 0),
    resetMs: Math.max(0, known.resetAtMs - nowMs),
  })
  const allowed = (nowMs: number): Decision => ({ allowed: true, ...state(nowMs), waitMs: 0 })
  const refused = (nowMs: number, waitMs: number): Decision => ({
    allowed: false,
    ...state(nowMs),
    left: 0,
    waitMs,
  })
  /** False once Postgres has expired the block and its uses have left the window. */
  const matters = ({ untilMs, uses }: Report, nowMs: number): boolean =>
    nowMs < untilMs + windowMs || uses.count(nowMs) > 0
  const use = (nowMs: number): void => {
    own.add(nowMs)
    if (known.resetAtMs <= nowMs) known.resetAtMs = nowMs + windowMs
  }

  return {
    take: (nowMs) => {
      if (block !== null && block.places > 0 && nowMs < block.untilMs) {
        block.places -= 1
        block.uses.add(nowMs)
        use(nowMs)
        return allowed(nowMs)
      }
      if (nowMs >= exhaustedUntilMs) return null
      promised = promised.filter((instant) => instant > nowMs)
      const next = promised.shift() ?? lastPromised
      return next === null || next <= nowMs ? null : refused(nowMs, next - nowMs)
    },
    takeLocally: (nowMs) => {
      const used = own.count(nowMs)
      const reset = used === 0 ? 0 : own.leavesMs(1, nowMs) - nowMs
      if (used >= quota) {
        refusedLocally += 1
        const waitMs = own.leavesMs(1 + (refusedLocally % quota), nowMs) - nowMs
        return { allowed: false, left: 0, resetMs: reset, waitMs }
      }
      refusedLocally = -1
      addUnleased(reports, newLog, nowMs)
      own.add(nowMs)
      return { allowed: true, left: quota - used - 1, resetMs: reset || windowMs, waitMs: 0 }
    },
    look: (nowMs) => {
      const { left } = state(nowMs)
      return left > 0 ? allowed(nowMs) : refused(nowMs, Math.max(0, known.resetAtMs - nowMs))
    },
    ageMs: (nowMs) => nowMs - known.atMs,
    note: (used, resetMs, nowMs) => {
      known = { left: Math.max(0, quota - used), resetAtMs: nowMs + resetMs, atMs: nowMs }
    },
    startSync: (wanted, nowMs) => {
      // a block grows while calls arrive faster than blocks expire, and shrinks when half of it is unused
      if (block !== null && block.places * 2 > block.leased) blockPlaces = Math.floor(blockPlaces / 2)
      else if (wanted > 0 && nowMs - syncedAtMs < blockMs) blockPlaces = Math.max(1, blockPlaces * 2)
      blockPlaces = Math.min(blockPlacesMax, blockPlaces)
      if (block !== null) reports.push({ ...block, block: block.id })
      block = null
      sent = reports.filter((report) => matters(report, nowMs)).slice(-reportsMax)
      reports = []
      if (nowMs >= exhaustedUntilMs) promisesAhead = 0
      return {
        wanted,
        blockPlaces: wanted === 0 ? 0 : blockPlaces,
        promisesAhead,
        block: randomUUID(),
        returned: sent.map(({ block: id, uses }) => ({ block: id, uses: uses.ages(nowMs) })),
      }
    },
    finishSync: (request, result, sentAtMs, nowMs) => {
      if (result === null) {
        reports = [...sent, ...reports]
        return []
      }
      sent = []
      syncedAtMs = nowMs
      const { leased } = result
      const untilMs = sentAtMs + blockMs
      if (leased > 0) block = { id: request.block, places: leased, leased, untilMs, uses: newLog() }
      known = { left: result.left, resetAtMs: nowMs + result.resetMs, atMs: nowMs }
      if (result.exhaustedMs > 0 && block === null) exhaustedUntilMs = nowMs + result.exhaustedMs
      const waits = result.waitsMs.slice(0, request.wanted - result.granted)
      promised = [...promised, ...result.waitsMs.slice(waits.length).map((waitMs) => nowMs + waitMs)]
      lastPromised = result.allPromised ? nowMs + (result.waitsMs.at(-1) ?? windowMs) : null
      if (waits.length > 0) promisesAhead = Math.min(promisesMax, Math.max(1, promisesAhead * 2))
      for (let n = 0; n < result.granted; n++) use(nowMs)
      return [
        ...Array.from({ length: result.granted }, () => allowed(nowMs)),
        ...waits.map((waitMs) => refused(nowMs, waitMs)),
      ]
    },
    isDue: (nowMs) => {
      reports = reports.filter((report) => matters(report, nowMs))
      return reports.length > 0 || (block !== null && nowMs >= block.untilMs)
    },
    isSettled: () => block === null && reports.length === 0,
    isIdle: (nowMs) => block === null && reports.length === 0 && own.count(nowMs) === 0,
  }
}
