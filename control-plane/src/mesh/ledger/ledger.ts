import { keepLooping } from '../../stores/faults.ts'
import type { LoopContext } from '../../stores/loop-context.ts'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import { Gauge } from 'prom-client'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { storedSlotsByRegion } from './account-slots-query.ts'
import { revisionsOfAll } from '../../records/check/check-revisions-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'

const minuteMs = 60_000
const paceMs = 2 * minuteMs
/** Readings of younger slots may still be on their way. */
const settledMs = 2 * minuteMs
/** A reading that arrives later than this still counts in the series, but not here. */
const windowMs = 15 * minuteMs

export type Ledger = { close(): Promise<void> }

/**
 * Compares the expected probes of 15 minutes with the stored readings, by region, every two minutes. It shows
 * on `/metrics` that no reading was lost. Runs only where `isOurs` returns true: one count serves all control
 * planes.
 */
export const startLedger = (
  capabilities: LoopContext & { clickhouse: ClickHouse; isOurs: () => boolean },
): Ledger => {
  const { isOurs, log, now } = capabilities
  const slots = new Gauge({
    name: 'ledger_slots',
    help: 'Slots of the 15 minutes that ended two minutes ago: due, measured, unmeasured, missing',
    labelNames: ['region', 'kind'] as const,
    registers: [capabilities.registry],
  })
  const show = async (): Promise<void> => {
    for (const [region, count] of await countLedger(capabilities, now())) {
      for (const [kind, value] of Object.entries(count)) slots.set({ region, kind }, value)
    }
  }
  const loop = keepLooping(log, {
    what: 'the ledger cannot be counted',
    round: async () => {
      slots.reset()
      if (isOurs()) await show()
    },
    everyMs: paceMs,
  })
  return {
    close: loop.close,
  }
}

export type LedgerCount = { due: number; measured: number; unmeasured: number; missing: number }

/** The ledger by region, of the window that was settled at `nowMs`. */
export const countLedger = async (
  { sql, clickhouse }: { sql: Sql; clickhouse: ClickHouse },
  nowMs: number,
): Promise<Map<Region, LedgerCount>> => {
  const toMs = Math.floor((nowMs - settledMs) / minuteMs) * minuteMs
  const fromMs = toMs - windowMs
  const due = new Map<Region, number>()
  for await (const page of revisionsOfAll(sql, fromMs, toMs)) {
    for (const revision of page) {
      for (const region of revision.regions) {
        const count = slotsDueCount(revision.checkId, region, [revision], fromMs, toMs)
        due.set(region, (due.get(region) ?? 0) + count)
      }
    }
  }
  const stored = await storedSlotsByRegion(clickhouse, fromMs, toMs)
  return new Map(
    [...due].map(([region, count]) => {
      const { measured, unmeasured } = stored.get(region) ?? { measured: 0, unmeasured: 0 }
      const missing = Math.max(0, count - measured - unmeasured)
      return [region, { due: count, measured, unmeasured, missing }]
    }),
  )
}
