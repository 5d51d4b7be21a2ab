import { randomUUID } from 'node:crypto'
import type { Trade, Traded } from './budgets-store.ts'
import type { Terms } from './terms.ts'
import { createUseLog } from './use-log.ts'
import type { UseLog } from './use-log.ts'

/** What an answer to a call is made from: whether it may go on, what is left, when to come back. */
export type Decision = {
  allowed: boolean
  left: number
  /** Until the oldest use leaves the window. */
  resetMs: number
  /** Of a refused call. */
  waitMs: number
}

/** What an instance has of one budget of one key: places at hand, and what Postgres last said. */
export type Purse = {
  /** Decides from memory. null: only a trade can tell. */
  take(nowMs: number): Decision | null
  /** Decides by the calls of this instance alone, while Postgres is away. */
  takeAlone(nowMs: number): Decision
  /** What is left as far as is known, without spending. */
  look(nowMs: number): Decision
  /** How old that knowledge is. */
  ageMs(nowMs: number): number
  /** Notes what Postgres says is used by all instances. */
  note(used: number, resetMs: number, nowMs: number): void
  /** What to trade for so many waiting calls; until `learn`, nothing is at hand. */
  ask(wanted: number, nowMs: number): Trade
  /** Takes in the answer to a trade that was sent at `sentAtMs`; null: there was none. */
  learn(trade: Trade, traded: Traded | null, sentAtMs: number, nowMs: number): Decision[]
  /** Whether a block has lapsed, or something was used without one: Postgres must be told. */
  owes(nowMs: number): boolean
  /** Whether there is nothing to tell Postgres, now or later. */
  isSettled(): boolean
  /** Whether nothing of it would be missed. */
  isIdle(nowMs: number): boolean
}

type Block = { id: string; places: number; handed: number; untilMs: number; uses: UseLog }
/** What was used of a block, or without one, and has not been told yet. */
type Report = { block: string | null; untilMs: number; uses: UseLog }

/** More reports than this have not reached Postgres: the oldest is forgotten, and its block lapses. */
const reportsMax = 4

export const createPurse = (terms: Terms): Purse => {
  const { quota, windowMs, blockMs, slotMs, spareMax, promisesMax } = terms
  const newLog = (): UseLog => createUseLog(windowMs, slotMs)
  const own = newLog()
  let block: Block | null = null
  let reports: Report[] = []
  // with a trade that is under way
  let sent: Report[] = []
  let known = { left: quota, resetAtMs: 0, atMs: -Infinity }
  let tradedAtMs = -Infinity
  let spare = 0
  // while the budget is used up: the instants to tell, and until when nothing is to be had
  let shutUntilMs = -Infinity
  let stock = 0
  let told: number[] = []
  let lastTold: number | null = null
  let refusedAlone = -1

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
  /** Postgres has forgotten a block by then, and what was used has left the window. */
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
      if (nowMs >= shutUntilMs) return null
      told = told.filter((instant) => instant > nowMs)
      const next = told.shift() ?? lastTold
      return next === null || next <= nowMs ? null : refused(nowMs, next - nowMs)
    },
    takeAlone: (nowMs) => {
      const used = own.count(nowMs)
      const reset = used === 0 ? 0 : own.leavesMs(1, nowMs) - nowMs
      if (used >= quota) {
        refusedAlone += 1
        const waitMs = own.leavesMs(1 + (refusedAlone % quota), nowMs) - nowMs
        return { allowed: false, left: 0, resetMs: reset, waitMs }
      }
      refusedAlone = -1
      let unheld = reports.find((report) => report.block === null)
      if (unheld === undefined) {
        unheld = { block: null, untilMs: -Infinity, uses: newLog() }
        reports.push(unheld)
      }
      unheld.uses.add(nowMs)
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
    ask: (wanted, nowMs) => {
      // a block grows while calls come faster than blocks lapse, and shrinks where it is not used
      if (block !== null && block.places * 2 > block.handed) spare = Math.floor(spare / 2)
      else if (wanted > 0 && nowMs - tradedAtMs < blockMs) spare = Math.max(1, spare * 2)
      spare = Math.min(spareMax, spare)
      if (block !== null) reports.push({ ...block, block: block.id })
      block = null
      sent = reports.filter((report) => matters(report, nowMs)).slice(-reportsMax)
      reports = []
      if (nowMs >= shutUntilMs) stock = 0
      return {
        wanted,
        spare: wanted === 0 ? 0 : spare,
        stock,
        block: randomUUID(),
        returned: sent.map(({ block: id, uses }) => ({ block: id, uses: uses.ages(nowMs) })),
      }
    },
    learn: (trade, traded, sentAtMs, nowMs) => {
      if (traded === null) {
        reports = [...sent, ...reports]
        return []
      }
      sent = []
      tradedAtMs = nowMs
      if (traded.handed > 0) {
        const places = traded.handed
        const untilMs = sentAtMs + blockMs
        block = { id: trade.block, places, handed: places, untilMs, uses: newLog() }
      }
      known = { left: traded.left, resetAtMs: nowMs + traded.resetMs, atMs: nowMs }
      if (traded.shutMs > 0 && block === null) shutUntilMs = nowMs + traded.shutMs
      const waits = traded.waitsMs.slice(0, trade.wanted - traded.granted)
      told = [...told, ...traded.waitsMs.slice(waits.length).map((waitMs) => nowMs + waitMs)]
      lastTold = traded.allPromised ? nowMs + (traded.waitsMs.at(-1) ?? windowMs) : null
      if (waits.length > 0) stock = Math.min(promisesMax, Math.max(1, stock * 2))
      for (let n = 0; n < traded.granted; n++) use(nowMs)
      return [
        ...Array.from({ length: traded.granted }, () => allowed(nowMs)),
        ...waits.map((waitMs) => refused(nowMs, waitMs)),
      ]
    },
    owes: (nowMs) => {
      reports = reports.filter((report) => matters(report, nowMs))
      return reports.length > 0 || (block !== null && nowMs >= block.untilMs)
    },
    isSettled: () => block === null && reports.length === 0,
    isIdle: (nowMs) => block === null && reports.length === 0 && own.count(nowMs) === 0,
  }
}
