import { startLoop } from '@probe-mesh/runtime/loop'
import type { Logger } from 'pino'
import { quarterMs } from '../unusual-reports.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findCountedQuarters, pruneReportCounts, writeReportCounts } from './report-counts-store.ts'
import { serially } from '@probe-mesh/runtime/serially'
import type { Unwritten } from './unwritten.ts'
import { quartersToKnow } from './past-counts.ts'
import type { Usual } from './past-counts.ts'

const paceMs = 2_000
const hourMs = 60 * 60_000
/** What is older is compared with nothing any more: eight weeks and the hour around are. */
const keptMs = 9 * 7 * 24 * hourMs
const pruneMs = hourMs
const rowsPerPrune = 5_000

export type CountWriter = {
  /** Writes what was counted; a timer calls this as well. @throws while Postgres is away */
  write(): Promise<void>
  /** Writes what is left. */
  close(): Promise<void>
}

/**
 * Brings counts to Postgres and back: writes what this instance has counted, reads what is usual,
 * removes what is old. Resolves when it is known what is usual.
 */
export const startCountWriter = async (capabilities: {
  sql: Sql
  /** Of this instance's life. */
  id: string
  unwritten: Unwritten
  usual: Usual
  log: Logger
  now: () => number
}): Promise<CountWriter> => {
  const { sql, id, unwritten, usual, log, now } = capabilities

  const write = serially(async () => {
    unwritten.pass(now())
    for (let batch = unwritten.next(); batch !== null; batch = unwritten.next()) {
      await writeReportCounts(sql, id, batch, now())
      unwritten.written(batch)
    }
  })
  let learntQuarter = Number.NaN
  const learnUsual = async (): Promise<void> => {
    const nowMs = now()
    const quarter = Math.floor(nowMs / quarterMs)
    if (quarter === learntQuarter) return
    usual.learn(await findCountedQuarters(sql, quartersToKnow(nowMs)))
    learntQuarter = quarter
  }
  let prunedMs = Number.NEGATIVE_INFINITY
  const prune = async (): Promise<void> => {
    const nowMs = now()
    if (Math.abs(nowMs - prunedMs) < pruneMs) return
    const rows = await pruneReportCounts(sql, nowMs - keptMs, rowsPerPrune)
    // there may be more: again at the next turn
    if (rows < rowsPerPrune) prunedMs = nowMs
  }
  const attempt = async (act: () => Promise<void>, failure: string): Promise<void> => {
    try {
      await act()
    } catch (error) {
      log.warn({ err: error }, failure)
    }
  }

  await learnUsual()
  const loop = startLoop({
    round: async () => {
      await attempt(write, 'counts of reports cannot be written; trying again')
      await attempt(learnUsual, 'usual counts of reports cannot be read; trying again')
      await attempt(prune, 'old counts of reports cannot be removed; trying again')
    },
    everyMs: paceMs,
    onError: (error) => {
      throw error
    },
  })
  return {
    write,
    close: async () => {
      await loop.close()
      await attempt(write, 'the last counts of reports cannot be written; they are lost')
    },
  }
}
