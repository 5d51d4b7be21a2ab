import { quarantineBroadcastMs } from '@probe-mesh/contracts/mesh/events'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import {
  closeQuarantine,
  findOpenQuarantines,
  openQuarantine,
  type QuarantineRecord,
} from '../../status/quarantine/quarantines-store.ts'
import { keepBursts } from '../../status/quarantine/region-bursts-store.ts'
import { keepDoubt } from '../../status/quarantine/region-doubts-store.ts'
import type { QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import type { HeldQuarantine, Quarantiner, RefusedDoubt } from './quarantiner.ts'

/** An ongoing doubt is written again at this pace. */
const doubtWriteMs = 30_000

/**
 * Keeps one open row for each quarantined region, however many control planes quarantine it. The control
 * plane that writes the row logs it, so that the operator gets one notice. A row that no control plane
 * confirms any more is closed by the one that ended the quarantine; any other one adopts it, because its
 * author is gone.
 */
export const createQuarantineRecorder = (capabilities: {
  sql: Sql
  board: QuarantineBoard
  quarantiner: Quarantiner
  log: Logger
  now: () => number
}) => {
  const { sql, board, quarantiner, log, now } = capabilities
  /** Open rows that no control plane confirms, and since when. */
  const unconfirmed = new Map<Region, number>()
  /** When each doubt was written last. */
  const doubtsWritten = new Map<string, number>()
  let begun = false

  const open = async (region: Region, { evidence, sinceMs }: HeldQuarantine): Promise<void> => {
    const id = uuidv7(now())
    if (!(await openQuarantine(sql, { ...evidence, id, region, sinceAtMs: sinceMs }))) return
    const since = new Date(sinceMs).toISOString()
    log.error(
      { region, since, ...evidence },
      'region quarantined: its own network seems to fail, so its readings count as unmeasured',
    )
  }

  const whyWords = {
    unconfirmed: 'a region keeps its vote: many hosts fail only there, but only checks of accounts show it',
    majority: 'a region keeps its vote: half of the regions are quarantined already',
  } as const
  const keepRefused = async ({ region, why, evidence }: RefusedDoubt): Promise<void> => {
    const key = `${region} ${why}`
    const nowMs = now()
    if (nowMs - (doubtsWritten.get(key) ?? Number.NEGATIVE_INFINITY) < doubtWriteMs) return
    doubtsWritten.set(key, nowMs)
    const isNew = await keepDoubt(sql, { id: uuidv7(nowMs), region, why, atMs: nowMs, ...evidence })
    if (isNew) log.warn({ region, why, ...evidence }, whyWords[why])
  }

  const settleUnconfirmed = async (row: QuarantineRecord): Promise<void> => {
    const { region } = row
    const unconfirmedSinceMs = unconfirmed.get(region) ?? now()
    unconfirmed.set(region, unconfirmedSinceMs)
    // other control planes may be about to confirm it
    if (now() - unconfirmedSinceMs < quarantineBroadcastMs) return
    unconfirmed.delete(region)
    const endedAtMs = quarantiner.returnedAtMs(region)
    if (endedAtMs === null || endedAtMs < row.sinceAtMs) return quarantiner.adopt(row)
    if (await closeQuarantine(sql, region, endedAtMs)) {
      const [since, until] = [row.sinceAtMs, endedAtMs].map((ms) => new Date(ms).toISOString())
      log.warn({ region, since, until }, 'region returned from quarantine: its readings count again')
    }
  }

  return {
    /** Adopts the open quarantines in the database, once, so that a restart keeps them. */
    begin: async (): Promise<void> => {
      if (begun) return
      const rows = await findOpenQuarantines(sql)
      if (begun) return
      begun = true
      for (const row of rows) quarantiner.adopt(row)
    },
    /** Updates the rows to match the quarantines of this control plane and the others. */
    record: async (): Promise<void> => {
      if (!begun) return
      const rows = await findOpenQuarantines(sql)
      const isOpen = new Set(rows.map(({ region }) => region))
      for (const [region, quarantine] of quarantiner.held) {
        if (!isOpen.has(region) && board.isQuarantined(region)) await open(region, quarantine)
      }
      for (const doubt of quarantiner.refused()) await keepRefused(doubt)
      const bursts = quarantiner.takeBursts()
      if (bursts.length > 0) await keepBursts(sql, bursts)
      const isConfirmed = (region: Region): boolean =>
        quarantiner.held.has(region) || board.isReportedByOthers(region)
      for (const region of unconfirmed.keys()) {
        if (!isOpen.has(region) || isConfirmed(region)) unconfirmed.delete(region)
      }
      for (const row of rows) if (!isConfirmed(row.region)) await settleUnconfirmed(row)
    },
  }
}
