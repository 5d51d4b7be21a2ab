import { readingsBytesMaxDefault, regionBuckets } from '@probe-mesh/bus/nats/topology'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Assumptions } from './assumptions.ts'
import type { Costs } from './costs.ts'
import { ratesOf } from './derive.ts'
import type { Load } from './derive.ts'

/** Of the bucket of one region's assignments. */
const assignmentsBytesMax = regionBuckets('fra')[0]?.max_bytes ?? 0
/** An assignment's subject, and what JetStream writes beside a message, bytes. */
const assignmentOverheadBytes = 100
/** Node's heap on a machine with 16 GiB or more. */
const heapBytesMax = 4 * 2 ** 30

/** A bound of today's system, and how many checks it carries. */
export type Limit = {
  what: string
  /** Checks in this many regions at this interval, when it is reached. */
  checks: number
  consequence: string
  remedy: string
}

/** What breaks, first first. @param load how many checks is of no matter */
export const limitsOf = (load: Load, costs: Costs, given: Assumptions): Limit[] => {
  const readingsPerCheck = load.regions / load.intervalSeconds
  const one = ratesOf({ ...load, checks: 1 }, costs)
  const perPartition = costs.busiestPartition.value / limits.partitions
  return [
    {
      what: 'Postgres: the log of states written behind',
      checks: given.walBytesPerSecondMax / (one.stateWrites * costs.stateWriteWalBytes.value),
      consequence:
        'states are written late: a takeover reads more of the stream again, answers lag',
      remedy:
        'write a state behind every 30 s instead of with every reading (it is judged in memory, flips are written at once): a fifth of the rows',
    },
    {
      what: 'Postgres: the CPU of one primary',
      checks:
        (given.postgresCoresMax * given.busyShareMax * 1_000) /
        (one.stateWrites * costs.stateWriteCpu.value + one.lookUps * costs.lookUpCpu.value),
      consequence: 'the same, and REST becomes slow',
      remedy:
        'as above, and believe a look-up for a minute: a deleted check is told to ingest anyway',
    },
    {
      what: 'NATS: messages of one stream on one leader',
      checks: (given.streamCoresMax * 1_000) / (one.messages * costs.natsMessageCpu.value),
      consequence: 'publishing slows down; spools on the agents’ disks grow, readings arrive late',
      remedy:
        'close a message after 1 s instead of 0.2 s: a fifth of the messages, 0.8 s later; then a stream for each group of partitions, each with its own leader',
    },
    {
      what: 'control planes: one busy thread a partition',
      checks:
        given.busyShareMax /
        ((readingsPerCheck * costs.controlPlaneReadingCpu.value * perPartition) / 1_000),
      consequence: 'the busiest partition lags, its checks turn stale',
      remedy: '64 partitions; decode in worker threads',
    },
    {
      what: 'NATS: the bucket of a region’s assignments, 256 MiB',
      checks: assignmentsBytesMax / (costs.assignmentBytes.value + assignmentOverheadBytes),
      consequence: 'new checks are not handed to the agents; the assigner says so and tries again',
      remedy: 'raise the bound; a bucket for each partition of a region',
    },
    {
      what: 'agents: the book of a region’s assignments in each of them',
      checks: heapBytesMax / costs.agentBookBytes.value,
      consequence: 'an agent ends for want of heap',
      remedy: 'watch only the partitions that one has a share of',
    },
  ].toSorted((a, b) => a.checks - b.checks)
}

/** How long the stream of readings can hold what nobody acknowledges, seconds. */
export const streamHoldsSeconds = (load: Load, costs: Costs): number =>
  readingsBytesMaxDefault / ratesOf(load, costs).payloadBytes
