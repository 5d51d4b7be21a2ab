import { createAssessmentState } from '@probe-mesh/control-plane/mesh/assess/assessment-state'
import {
  createStoredSlots,
  twinPositions,
} from '@probe-mesh/control-plane/mesh/ingest/stored-slots'
import { rowsOf } from '@probe-mesh/control-plane/mesh/ingest/prepare-batch'
import type { CheckFacts } from '@probe-mesh/control-plane/mesh/ingest/directory'
import type { AssessedCheck } from '@probe-mesh/control-plane/status/states-store'
import { createDecodeOnce } from '@probe-mesh/control-plane/readings/decode-once'
import type { DecodedMessage } from '@probe-mesh/control-plane/readings/decode'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Ledger } from './ledger.ts'
import type { StageMeter } from './stages.ts'
import type { StateTable } from './state-table.ts'
import type { SimulatedStream } from './stream.ts'

const rowsMax = 2_000

/** What the owners of a partition did, one after another. */
export type OwnerTotals = {
  rows: number
  /** Readings left out since their slot was stored already. */
  twins: number
  poison: number
  /** Readings about which the store had to be asked whether they are twins. */
  asked: number
  confirmations: number
}

export const noOwnerTotals = (): OwnerTotals => ({
  rows: 0,
  twins: 0,
  poison: 0,
  asked: 0,
  confirmations: 0,
})

/**
 * A control plane, as far as one partition concerns it: its decoding, its search for twins, its rows
 * and its judgements are those of the product; the stores behind are the ledger and a table.
 */
export const createOwner = (capabilities: {
  epoch: number
  partition: number
  checks: readonly Omit<AssessedCheck, 'state'>[]
  facts: ReadonlyMap<string, CheckFacts>
  stream: SimulatedStream
  table: StateTable
  ledger: Ledger
  totals: OwnerTotals
  meter: StageMeter
  now: () => number
  /** A batch of an agent is stored. */
  onStored: (agent: string, batch: number) => void
}) => {
  const { stream, table, ledger, totals, meter, now } = capabilities
  const lease = { partition: capabilities.partition, epoch: capabilities.epoch }
  const decode = createDecodeOnce()
  const slots = createStoredSlots()
  const book = createAssessmentState(now)
  for (const check of capabilities.checks) {
    book.load({ ...check, state: table.stateOf(check.checkId) }, lease)
  }
  /** Up to where each of its two readers has taken messages. */
  const fetched = {
    ingest: stream.acknowledgedBy('ingest'),
    assess: stream.acknowledgedBy('assess'),
  }
  const store = {
    findNewest: (readings: readonly Reading[]) => {
      totals.asked += readings.length
      return ledger.findNewest(readings)
    },
    findStored: (readings: readonly Reading[]) => {
      totals.asked += readings.length
      return ledger.findStored(readings)
    },
  }
  const fetch = (reader: keyof typeof fetched): DecodedMessage[] => {
    const messages = stream.after(fetched[reader])
    fetched[reader] = messages.at(-1)?.sequence ?? fetched[reader]
    return meter.measure('decode', () => messages.map(decode))
  }

  const storeBatch = async (): Promise<DecodedMessage[]> => {
    const decoded = fetch('ingest')
    const rows = await meter.measureWaiting('store', async () => {
      const readings = decoded.flatMap((message) => message.readings)
      const twins = await twinPositions(readings, () => slots, store)
      totals.twins += twins.size
      return rowsOf(decoded, twins, capabilities.facts)
    })
    for (const { reading } of rows) ledger.store(reading)
    meter.measure('store', () => {
      for (const { reading } of rows) slots.remember(reading)
    })
    totals.rows += rows.length
    totals.poison += decoded.reduce((sum, { poison }) => sum + poison.length, 0)
    return decoded
  }
  const settleFlips = (): void => {
    for (const write of book.flips()) {
      if (!table.flip(write)) throw new Error(`a flip of ${write.checkId} found another version`)
      book.settle(write)
    }
  }

  /** Whoever is asked finds what the region found that asks: a target fails everywhere or nowhere. */
  const observe = (reading: Reading): void => {
    const round = book.observe(reading)
    if (round === null) return
    totals.confirmations += 1
    for (const region of round.regions) {
      book.observe({
        ...reading,
        region,
        kind: 'confirmation',
        slot: round.atMs,
        measuredAt: now(),
      })
    }
  }

  return {
    /** A batch as ingest takes one: decoded, without its twins, stored, marked, acknowledged. */
    ingest: async (): Promise<void> => {
      const decoded = await storeBatch()
      for (const { sender } of decoded) {
        if (sender !== null) capabilities.onStored(sender.agent, sender.batch)
      }
      stream.acknowledge('ingest', fetched.ingest)
    },
    /** The same, killed before anybody hears of it. */
    ingestAndDie: async (): Promise<void> => void (await storeBatch()),
    judge: (): void => {
      const decoded = fetch('assess')
      meter.measure('judge', () => {
        for (const { readings } of decoded) {
          for (const reading of readings) observe(reading)
        }
        settleFlips()
      })
    },
    sweep: (): void => {
      book.sweep(() => true)
      settleFlips()
    },
    /** States are written behind, then what was judged is acknowledged. */
    writeBehind: (): void => {
      meter.measure('judge', () => {
        for (let writes = book.takeDirty(rowsMax); writes.length > 0;) {
          for (const write of writes) table.write(write)
          writes = book.takeDirty(rowsMax)
        }
      })
      stream.acknowledge('assess', fetched.assess)
    },
  }
}

export type Owner = ReturnType<typeof createOwner>
