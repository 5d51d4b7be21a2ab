import { faultsOf, keepLooping } from '../../stores/faults.ts'
import type { Logger } from 'pino'
import { quarterMs } from '../unusual-reports.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findCountedQuarters, pruneReportCounts, writeReportCounts } from './report-counts-store.ts'
import { serially } from '@probe-mesh/runtime/serially'
import type { Unwritten } from './unwritten.ts'
import { quartersToKnow, type Usual } from './past-counts.ts'

const paceMs = 2_000
const hourMs = 60 * 60_000
/** Baselines use eight weeks and the hour around; older counts are deleted. */
const keptMs = 9 * 7 * 24 * hourMs
const pruneMs = hourMs
const rowsPerPrune = 5_000

type CountWriter = {
  /** Writes pending counts; a timer calls this as well. @throws while Postgres is unavailable */
  write(): Promise<void>
  /** Writes the rest. */
  close(): Promise<void>
}

/**
 * Writes pending counts to Postgres, reads the usual counts and deletes old ones. Resolves when the
 * usual counts are loaded.
 */
export const startCountWriter = async (capabilities: {
  sql: Sql
  /** New at each start. */
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
  let loadedQuarter = Number.NaN
  const loadUsual = async (): Promise<void> => {
    const nowMs = now()
    const quarter = Math.floor(nowMs / quarterMs)
    if (quarter === loadedQuarter) return
    usual.learn(await findCountedQuarters(sql, quartersToKnow(nowMs)))
    loadedQuarter = quarter
  }
  let prunedMs = Number.NEGATIVE_INFINITY
  const prune = async (): Promise<void> => {
    const nowMs = now()
    if (Math.abs(nowMs - prunedMs) < pruneMs) return
    const rows = await pruneReportCounts(sql, nowMs - keptMs, rowsPerPrune)
    // there may be more: continue in the next round
    if (rows < rowsPerPrune) prunedMs = nowMs
  }
  await loadUsual()
  const faults = faultsOf(log)
  const [writing, loading, pruning] = [
    { what: 'counts of reports cannot be written' },
    { what: 'usual counts of reports cannot be read' },
    { what: 'old counts of reports cannot be deleted' },
  ]
  const loop = keepLooping(log, {
    what: 'counts of reports cannot be kept',
    round: async () => {
      await faults.attempt(writing, write)
      await faults.attempt(loading, loadUsual)
      await faults.attempt(pruning, prune)
    },
    everyMs: paceMs,
  })
  return {
    write,
    close: async () => {
      await loop.close()
      await faults.attempt({ what: 'the last counts of reports cannot be written; they are lost' }, write)
    },
  }
}
