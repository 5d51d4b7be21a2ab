import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { SlotRun } from './agent.ts'
import { createControlPlane } from './control-plane.ts'
import { isLostWithAgent, membershipsOf, planFaults } from './faults.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import { fromMs, isFailing, minuteMs, secondMinuteMs } from './mesh.ts'
import type { Mesh } from './mesh.ts'
import type { OwnerTotals } from './owner.ts'
import { createReadingModel } from './readings.ts'
import { beginRegion } from './region.ts'
import type { SimulatedRegion } from './region.ts'
import type { RunCounts } from './run-counts.ts'
import { createSimulatedTime } from './simulated-time.ts'
import type { StageMeter } from './stages.ts'
import { createStateTable } from './state-table.ts'
import type { StateTable } from './state-table.ts'
import { createSimulatedStream } from './stream.ts'
import { createRandom } from '../statistics.ts'

/** What came of one partition. */
export type PartitionOutcome = OwnerTotals & {
  checks: number
  due: number
  stored: number
  /** Stored twice, and stored although never due. */
  duplicates: number
  strangers: number
  /** Due and not stored: because the agent that had them was dead, and for no reason. */
  lostWithAgent: number
  lost: number
  /** Checks that flipped, and those whose flips are other than what happened to them. */
  flipped: number
  wrongFlips: number
  messages: number
  payloadBytes: number
  wireBytes: number
  heldBytesMax: number
  stateWrites: number
}

export type PartitionOptions = {
  partition: number
  checkIds: readonly string[]
  directory: string
  meter: StageMeter
  counts: RunCounts
}

/** What is under way when it ends has so long to arrive, ms. */
const restMs = 1_000
const downInTwoSteps = 'operational to degraded, degraded to down'

/**
 * Every slot of a partition's checks in all regions, from its schedule to its row and its judgement,
 * in the order of time.
 */
export const simulatePartition = async (
  mesh: Mesh,
  options: PartitionOptions,
): Promise<PartitionOutcome> => {
  const { regions: codes, intervalSeconds, stepMs } = mesh
  const { partition, checkIds, meter, counts } = options
  const directory = join(options.directory, String(partition))
  const toMs = fromMs + mesh.minutes * minuteMs
  const times = { slots: createSimulatedTime(fromMs), lanes: createSimulatedTime(fromMs) }
  const stream = createSimulatedStream(partition, times.lanes.now)
  const table = createStateTable(checkIds, codes, fromMs - 1)
  const ledger = createLedger(checkIds, codes, { fromMs, toMs, intervalSeconds })
  const memberships = membershipsOf(codes, mesh.agentsPerRegion, mesh.minutes === 2)
  let runs: SlotRun[] = []
  const regions = codes.map((region) =>
    beginRegion({
      region,
      partition,
      checkIds,
      intervalSeconds,
      memberships: memberships.get(region) ?? [],
      directory,
      times,
      stream,
      onRun: (run) => runs.push(run),
    }),
  )
  const controlPlane = createControlPlane({
    mesh,
    partition,
    checkIds,
    stream,
    table,
    ledger,
    meter,
    now: times.lanes.now,
    onStored: (name, batch) => {
      for (const { agents } of regions) agents.get(name)?.mark(batch)
    },
  })
  const faults = mesh.minutes === 1 ? [] : planFaults({ regions, memberships, controlPlane })
  const failing = new Set(checkIds.filter((_, number) => isFailing(number)))
  const model = createReadingModel(createRandom(partition + 1))

  const measure = (): void => {
    const begun = runs
    runs = []
    const readings = begun.map(({ checkId, agent, slot, lateMs }) => {
      counts.add(agent.region, agent.name, slot)
      const isUp = slot < secondMinuteMs || !failing.has(checkId)
      return model({ checkId, region: agent.region, slot, lateMs, isUp })
    })
    meter.measure('spool', () => {
      for (const [n, reading] of readings.entries()) begun[n]?.agent.keep(reading)
    })
  }
  const publishUntil = (untilMs: number): Promise<void> =>
    meter.measureWaiting('publish', async () => {
      times.lanes.runUntil(untilMs)
      await yieldToLoop()
    })
  for (let atMs = fromMs; atMs < toMs; atMs += stepMs) {
    while (faults[0] !== undefined && faults[0].atMs <= atMs) await faults.shift()?.act()
    meter.measure('schedule', () => times.slots.runUntil(atMs + stepMs))
    measure()
    await publishUntil(atMs + stepMs)
    await controlPlane.actAt(atMs + stepMs)
  }
  await publishUntil(toMs + restMs)
  await controlPlane.finish()
  for (const region of regions) await region.close()
  await rm(directory, { recursive: true })
  return {
    ...controlPlane.totals,
    ...stream.totals,
    checks: checkIds.length,
    ...ledgerOutcome(ledger, mesh, regions[0]),
    ...flipOutcome(table, mesh.minutes === 1 ? new Set() : failing),
    stateWrites: table.writes(),
  }
}

const ledgerOutcome = (ledger: Ledger, mesh: Mesh, killedIn: SimulatedRegion | undefined) => {
  const missing = ledger.missing()
  const excused = missing.filter(
    (slot) =>
      mesh.minutes === 2 &&
      killedIn !== undefined &&
      isLostWithAgent(killedIn, slot, mesh.intervalSeconds),
  )
  const { duplicates, strangers } = ledger
  return {
    due: ledger.due(),
    stored: ledger.stored(),
    duplicates,
    strangers,
    lostWithAgent: excused.length,
    lost: missing.length - excused.length,
  }
}

/** Every failing check goes down in two steps and no other flips. */
const flipOutcome = (table: StateTable, failing: ReadonlySet<string>) => {
  const flips = table.flips()
  const wrong = [...flips].filter(
    ([checkId, told]) => !failing.has(checkId) || told.join(', ') !== downInTwoSteps,
  )
  const silent = [...failing].filter((checkId) => !flips.has(checkId))
  return { flipped: flips.size, wrongFlips: wrong.length + silent.length }
}
