import { pause } from '@probe-mesh/bus/pause'
import { partitionOf } from '@probe-mesh/contracts/mesh/partition'
import type { Bus } from '@probe-mesh/bus/port'
import { quarantineTellMs } from '@probe-mesh/contracts/mesh/events'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { findStatesOfChecks, findStatesOfPartitions } from '../../status/states-store.ts'
import type { QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { Closing, retryWhileAway } from '../../stores/retry.ts'
import type { Decode } from '../../readings/decode-once.ts'
import { createSetAside } from '../../readings/set-aside.ts'
import { createReadingTrial } from '../../readings/trial/trial-reader.ts'
import type { TrialReader } from '../../readings/trial/trial-reader.ts'
import type { SetAside } from '../../readings/set-aside.ts'
import { serially } from '@probe-mesh/runtime/serially'
import { createTenancies } from '../../stores/leases/tenancies.ts'
import type { Book } from './assessment-state.ts'
import { startCertificateKeeper } from './certificate-writer.ts'
import type { Confirmer } from './confirmer.ts'
import type { AssessContext, Holding } from './context.ts'
import { followPartition } from './follow-partition.ts'
import { isSettled } from './context.ts'
import type { AssessMetrics } from './metrics.ts'
import { createQuarantiner } from './quarantiner.ts'
import { recordBookFlips, writeBehind } from './write-states.ts'
import { createQuarantineRecorder } from './record-quarantines.ts'
import { createRegionWatch } from './region-watch.ts'

/** States are written behind at this pace, which is also how far an answer may lag a reading. */
const writeBehindMs = 300
const sweepMs = 1_000

export type Assessor = {
  /** The partitions it has now. */
  readonly holdings: ReadonlyMap<number, Holding>
  /** Begins with a partition: takes its states from Postgres and reads on where they end. */
  take(lease: Lease): void
  /** Ends with a partition; a `released` one is left when what was judged of it is written. */
  leave(lease: Lease, why: 'released' | 'lost'): Promise<void>
  /** A check was created, changed or deleted: take it again from Postgres. */
  reload(checkId: string): Promise<void>
  close(): Promise<void>
}

/**
 * Judges readings as they come: state in memory, flips in Postgres by compare-and-set before
 * anything else is read, everything else written behind and acknowledged only then.
 */
export const startAssessor = (capabilities: {
  sql: Sql
  bus: Bus
  book: Book
  confirmer: Confirmer
  board: QuarantineBoard
  metrics: AssessMetrics
  decode: Decode
  /** Readings that nothing of this process reads; absent: it keeps its own. */
  setAside?: SetAside
  trial?: TrialReader
  onReadings?: NonNullable<AssessContext['onReadings']>
  log: Logger
  now: () => number
}): Assessor => {
  const { sql, bus, book, log, now, setAside = createSetAside() } = capabilities
  const { trial = createReadingTrial() } = capabilities
  const tenancies = createTenancies({
    hold: (lease, signal) => hold(lease, signal),
    log,
    followed: capabilities.metrics.followed,
  })
  const { closing } = tenancies
  const holdings = new Map<number, Holding>()
  const retryUntil = <T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> =>
    retryWhileAway(attempt, {
      signal,
      onWait: (error, waitMs) => log.warn({ err: error, waitMs }, 'assess waits for a store'),
    })
  const watch = createRegionWatch({ ...capabilities, find: book.get })
  const quarantiner = createQuarantiner({ ...capabilities, watch })
  const quarantines = createQuarantineRecorder({ ...capabilities, quarantiner })
  const certificates = startCertificateKeeper(capabilities)
  const context: AssessContext = {
    ...capabilities,
    certificates,
    watch,
    holdings,
    retry: (attempt) => retryUntil(closing, attempt),
  }
  const flips = serially(() => recordBookFlips(context))
  const writing = serially(() => writeBehind(context))

  const reload = async (checkId: string, lease: Lease): Promise<void> => {
    const found = await context.retry(() => findStatesOfChecks(sql, [checkId]))
    if (found.length === 0) book.forget(checkId)
    for (const check of found) book.load(check, lease)
  }

  const load = async (holding: Holding): Promise<void> => {
    const { lease, signal } = holding
    const states = await retryUntil(signal, () => findStatesOfPartitions(sql, [lease.partition]))
    if (signal.aborted) return
    for (const check of states) book.load(check, lease)
    const changed = holding.changedWhileLoading ?? []
    holding.changedWhileLoading = null
    for (const checkId of changed) await reload(checkId, lease)
  }

  const hold = async (lease: Lease, signal: AbortSignal): Promise<void> => {
    const { partition } = lease
    const consumer = await retryUntil(signal, () => bus.readings.consume(partition, 'assess'))
    const holding: Holding = {
      lease,
      takenAtMs: now(),
      signal,
      consumer,
      processed: null,
      changedWhileLoading: new Set(),
      caughtUp: false,
    }
    if (!signal.aborted) holdings.set(partition, holding)
    try {
      await retryUntil(signal, quarantines.begin)
      await load(holding)
      await followPartition({ ...context, setAside, trial, flips }, holding)
      if (!lost.has(lease)) await writing().catch(sayUnwritten)
    } finally {
      if (holdings.get(partition) === holding) holdings.delete(partition)
      book.forgetUnder(lease)
      await consumer.close()
    }
  }
  /** Leases whose last states are not to be written: they would be refused. */
  const lost = new WeakSet<Lease>()
  const sayUnwritten = (error: unknown): void => {
    log.warn({ err: error }, 'last states were not written; they are judged again')
  }
  const keepPace = async (everyMs: number, act: () => Promise<void>): Promise<void> => {
    while (!closing.aborted) {
      await pause(everyMs, closing)
      await act().catch((error: unknown) => {
        if (!(error instanceof Closing))
          log.error({ err: error }, 'assess cannot write; trying again')
      })
    }
  }
  const sweep = async (): Promise<void> => {
    book.sweep(({ partition, epoch }) => {
      const holding = holdings.get(partition)
      return holding?.lease.epoch === epoch && isSettled(holding, now())
    })
    await flips()
  }
  const loops = [
    keepPace(writeBehindMs, writing),
    keepPace(sweepMs, sweep),
    keepPace(sweepMs, async () => quarantiner.decide()),
    keepPace(quarantineTellMs, async () => quarantiner.tell()),
    keepPace(quarantineTellMs, () => context.retry(quarantines.record)),
  ]

  return {
    holdings,
    take: tenancies.begin,
    leave: async (lease, why) => {
      if (why === 'lost') {
        lost.add(lease)
        if (holdings.get(lease.partition)?.lease === lease) holdings.delete(lease.partition)
        book.forgetUnder(lease)
      }
      const life = tenancies.end(lease)
      if (why === 'released') await life?.over
    },
    reload: async (checkId) => {
      const holding = holdings.get(partitionOf(checkId))
      if (holding?.changedWhileLoading) holding.changedWhileLoading.add(checkId)
      else if (holding !== undefined) await reload(checkId, holding.lease)
    },
    close: async () => {
      await Promise.all([tenancies.close(), ...loops])
      await certificates.close()
    },
  }
}
