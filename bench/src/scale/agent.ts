import { openLog } from '@probe-mesh/bus/log/log'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { HeldAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { createLane } from '@probe-mesh/probe-agent/deliver/lane'
import type { LaneCapabilities } from '@probe-mesh/probe-agent/deliver/lane'
import { createBook } from '@probe-mesh/probe-agent/share/book'
import { createScheduler } from '@probe-mesh/probe-agent/schedule/scheduler'
import { encodeReading } from '@probe-mesh/probe-agent/deliver/spool/spool'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { SimulatedTime } from './simulated-time.ts'

const mib = 2 ** 20

/** A slot that an agent ran. */
export type SlotRun = { agent: SimulatedAgent; checkId: string; slot: number; lateMs: number }

/**
 * One agent, as far as one partition's checks concern it: its share of them, its schedule, its spool
 * on disk and its lane to the stream are those of the product, on a clock of the simulation's.
 */
export type SimulatedAgent = {
  readonly name: string
  readonly region: Region
  put(assignment: HeldAssignment): void
  /** Who shares the region from now on. */
  shareAmong(members: readonly string[]): void
  /** A run's reading: on disk, and soon in the stream. */
  keep(reading: Reading): void
  mark(batch: number): void
  /** It leaves in good order: it runs nothing more, and publishes what it has. */
  leave(): Promise<void>
  /** It is dead: it runs and publishes nothing. */
  kill(): Promise<void>
  /** It is started again over its disk, and publishes what is there. */
  revive(): Promise<void>
  close(): Promise<void>
}

export const createSimulatedAgent = (options: {
  name: string
  region: Region
  partition: number
  directory: string
  /** Of what is due, and of what waits for a message to fill: apart, so that each can be measured. */
  times: { slots: SimulatedTime; lanes: SimulatedTime }
  publish: LaneCapabilities['readings']['publish']
  onRun: (run: SlotRun) => void
}): SimulatedAgent => {
  const { name, region, partition, directory, times, publish, onRun } = options
  const spool = openLog({
    directory,
    bytesMax: 64 * mib,
    segmentBytesMax: 8 * mib,
    whenFull: 'refuse',
    now: times.lanes.now,
  })
  let batch = 0
  const openLane = () =>
    createLane({
      agent: name,
      region,
      partition,
      spool,
      readings: { publish },
      takeBatch: () => ++batch,
      now: times.lanes.now,
      setTimer: times.lanes.setTimer,
      random: () => 0,
      log: silentLogger,
      onOutcome: () => undefined,
    })
  let lane = openLane()
  const scheduler = createScheduler({
    now: times.slots.now,
    setTimer: times.slots.setTimer,
    onDue: ({ checkId }, slot, lateMs) => onRun({ agent, checkId, slot, lateMs }),
  })
  const book = createBook(name, scheduler, times.slots.now())
  const agent: SimulatedAgent = {
    name,
    region,
    put: (assignment) => void book.put(assignment, { catchUp: false }),
    shareAmong: (members) => book.shareAmong(members),
    keep: (reading) => {
      spool.append(encodeReading(reading).bytes)
      lane.wake()
    },
    mark: (through) => lane.mark(through),
    leave: async () => {
      scheduler.close()
      await lane.flush()
    },
    kill: async () => {
      scheduler.close()
      await lane.close()
    },
    revive: async () => {
      lane = openLane()
      await lane.flush()
    },
    close: async () => {
      scheduler.close()
      await lane.close()
      spool.close()
    },
  }
  return agent
}
