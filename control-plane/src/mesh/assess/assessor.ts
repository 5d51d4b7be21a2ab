import { runLoop } from '@probe-mesh/runtime/loop'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Bus } from '@probe-mesh/bus/port'
import { quarantineBroadcastMs } from '@probe-mesh/contracts/mesh/events'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { findStatesOfChecks, findStatesOfPartitions } from '../../status/states-store.ts'
import type { QuarantineBoard } from '../../status/quarantine/quarantine-board.ts'
import { faultsOf } from '../../stores/faults.ts'
import { Closing, retryWhileRefused, type AskedStore } from '../../stores/retry.ts'
import type { Decode } from '../../readings/decode-once.ts'
import { createSetAside, type SetAside } from '../../readings/poison.ts'
import { createReadingsReader, type FirstReader } from '../../readings/first-read/first-reader.ts'
import { serially } from '@probe-mesh/runtime/serially'
import { createTenancies } from '../../stores/leases/tenancies.ts'
import type { AssessmentState } from './assessment-state.ts'
import { startCertificateWriter } from './certificate-writer.ts'
import { startProviderWriter } from './provider-writer.ts'
import type { Confirmer } from './confirmer.ts'
import { isSettled, sweepMs, type AssessContext, type Holding } from './context.ts'
import { followPartition, type FollowContext } from './follow-partition.ts'
import type { AssessMetrics } from './metrics.ts'
import { createQuarantiner } from './quarantiner.ts'
import { findJudgedUntil } from './judged-store.ts'
import { firstWriteAtMs, writeFlips, writeBehind } from './write-states.ts'
import { createQuarantineRecorder } from './record-quarantines.ts'
import { createRegionWatch } from './region-watch.ts'

/** States that matter are written behind at this pace, and newer readings told to other control planes. */
const writeBehindMs = 300

export type Assessor = {
  /** The partitions it owns now. */
  readonly holdings: ReadonlyMap<number, Holding>
  /** Starts a partition: loads its states from Postgres and continues reading where they end. */
  take(lease: Lease): void
  /** Stops a partition. A `released` one is left after its assessments are written. */
  leave(lease: Lease, why: 'released' | 'lost'): Promise<void>
  /** Loads a check again from Postgres after it was created, changed or deleted. */
  reload(checkId: string): Promise<void>
  close(): Promise<void>
}

/** What the steps of the assessor share. */
type Assessing = FollowContext & {
  readonly bus: Bus
  readonly holdings: Map<number, Holding>
  /** Loads the open quarantines, once. */
  readonly beginQuarantines: () => Promise<void>
  /** Writes all other states behind. */
  readonly writing: () => Promise<void>
  /** Lost leases: writes under them would be refused, so their last states are not written. */
  readonly lost: WeakSet<Lease>
}

/**
 * Judges readings as they arrive. State is in memory. Flips go to Postgres by compare-and-set before the next
 * message is read; all other state is written behind, and messages are acknowledged only after that.
 */
export const startAssessor = (capabilities: {
  sql: Sql
  bus: Bus
  assessmentState: AssessmentState
  confirmer: Confirmer
  board: QuarantineBoard
  metrics: AssessMetrics
  decode: Decode
  /** Messages that this process must not read; absent: it keeps its own list. */
  setAside?: SetAside
  firstReader?: FirstReader
  onReadings?: NonNullable<AssessContext['onReadings']>
  servingSinceMs?: NonNullable<AssessContext['servingSinceMs']>
  live?: NonNullable<AssessContext['live']>
  log: Logger
  now: () => number
  /** How often its loops run in the time of one round: more if `now` is a faster clock. */
  speed?: number
}): Assessor => {
  const {
    assessmentState,
    log,
    setAside = createSetAside(),
    firstReader = createReadingsReader(),
  } = capabilities
  const closing = new AbortController()
  const watch = createRegionWatch({ ...capabilities, find: assessmentState.get })
  const quarantiner = createQuarantiner({ ...capabilities, watch })
  const quarantines = createQuarantineRecorder({ ...capabilities, quarantiner })
  const certificates = startCertificateWriter(capabilities)
  const providers = startProviderWriter(capabilities)
  const holdings = new Map<number, Holding>()
  const context: AssessContext = {
    ...capabilities,
    certificates,
    providers,
    watch,
    holdings,
    retry: (attempt) => retryUntil(closing.signal, log, attempt),
  }
  const flips = serially(() => writeFlips(context))
  const writing = serially(() => writeBehind(context))
  const assessing: Assessing = {
    ...context,
    bus: capabilities.bus,
    holdings,
    setAside,
    firstReader,
    beginQuarantines: quarantines.begin,
    flips,
    writing,
    lost: new WeakSet(),
  }
  const tenancies = createTenancies({
    hold: (lease, signal) => hold(assessing, lease, signal),
    log,
    followed: capabilities.metrics.followed,
  })
  const keepPace = paceOf(closing.signal, log, capabilities.speed)
  const loops = [
    keepPace(writeBehindMs, writing),
    keepPace(writeBehindMs, async () => tellNewer(context)),
    keepPace(sweepMs, () => sweep(assessing)),
    keepPace(sweepMs, async () => quarantiner.decide()),
    keepPace(quarantineBroadcastMs, async () => quarantiner.broadcast()),
    keepPace(quarantineBroadcastMs, () => context.retry(quarantines.record)),
  ]

  return {
    holdings,
    take: tenancies.begin,
    leave: async (lease, why) => {
      if (why === 'lost') forgetLost(assessing, lease)
      const life = tenancies.end(lease)
      if (why === 'released') await life?.over
    },
    reload: async (checkId) => {
      const holding = holdings.get(partitionOf(checkId))
      if (holding?.changedWhileLoading) holding.changedWhileLoading.add(checkId)
      else if (holding !== undefined) await reload(context, checkId, holding.lease)
    },
    close: async () => {
      closing.abort()
      await Promise.all([tenancies.close(), ...loops])
      await certificates.close()
      await providers.close()
    },
  }
}

const retryUntil = <T>(
  signal: AbortSignal,
  log: Logger,
  attempt: () => Promise<T>,
  store: AskedStore = 'postgres',
): Promise<T> => retryWhileRefused(attempt, { signal, log, store, what: 'readings cannot be judged' })

/** One partition, until its signal aborts: load its states, judge its messages, write its last states. */
const hold = async (assessing: Assessing, lease: Lease, signal: AbortSignal): Promise<void> => {
  const { bus, assessmentState, holdings, beginQuarantines, log, now } = assessing
  const { partition } = lease
  const consume = () => bus.readings.consume(partition, 'assess')
  const holding: Holding = {
    lease,
    signal,
    consumer: await retryUntil(signal, log, consume, 'bus'),
    takenAtMs: now(),
    processed: null,
    writeAllAtMs: firstWriteAtMs(partition, now()),
    changedWhileLoading: new Set(),
    caughtUp: false,
  }
  if (!signal.aborted) holdings.set(partition, holding)
  try {
    await retryUntil(signal, log, beginQuarantines)
    await loadAll(assessing, holding)
    await followPartition(assessing, holding)
    if (!assessing.lost.has(lease)) await writeLast(assessing, holding)
  } finally {
    if (holdings.get(partition) === holding) holdings.delete(partition)
    assessmentState.forgetUnder(lease)
    await holding.consumer.close()
  }
}

const loadAll = async (context: AssessContext, holding: Holding): Promise<void> => {
  const { sql, assessmentState, log } = context
  const { lease, signal } = holding
  const states = await retryUntil(signal, log, () => findStatesOfPartitions(sql, [lease.partition]))
  holding.judgedUntilMs = await retryUntil(signal, log, () => findJudgedUntil(sql, lease.partition))
  if (signal.aborted) return
  for (const check of states) assessmentState.load(check, lease)
  const changed = holding.changedWhileLoading ?? []
  holding.changedWhileLoading = null
  for (const checkId of changed) await reload(context, checkId, lease)
}

const reload = async (
  { sql, assessmentState, retry }: AssessContext,
  checkId: string,
  lease: Lease,
): Promise<void> => {
  const found = await retry(() => findStatesOfChecks(sql, [checkId]))
  if (found.length === 0) assessmentState.forget(checkId)
  for (const check of found) assessmentState.load(check, lease)
}

const writeLast = async ({ writing, log }: Assessing, holding: Holding): Promise<void> => {
  delete holding.writeAllAtMs
  try {
    await writing()
  } catch (error) {
    log.warn({ err: error }, 'the last states were not written; the next owner judges the readings again')
  }
}

const forgetLost = ({ lost, holdings, assessmentState }: Assessing, lease: Lease): void => {
  lost.add(lease)
  if (holdings.get(lease.partition)?.lease === lease) holdings.delete(lease.partition)
  assessmentState.forgetUnder(lease)
}

/** Checks that are told in one round: three regions of each hold the loop for 70 ms. */
const toldPerRoundMax = 5_000

/** Tells the others what they cannot read from Postgres yet. */
const tellNewer = ({ live, assessmentState }: AssessContext): void => {
  const wanted = live?.wanted() ?? 'no'
  if (wanted !== 'no') live?.tell(assessmentState.takeUntold(wanted === 'new', toldPerRoundMax))
}

/** Applies the passage of time to the checks whose missing readings are really missing. */
const sweep = async (assessing: Assessing): Promise<void> => {
  const { assessmentState, holdings, now, servingSinceMs, flips } = assessing
  assessmentState.sweep((check, { partition, epoch }) => {
    const holding = holdings.get(partition)
    return holding?.lease.epoch === epoch && isSettled(holding, check, now(), servingSinceMs?.())
  })
  await flips()
}

/** Loops that act at a pace until they close. */
const paceOf = (signal: AbortSignal, log: Logger, speed = 1) => {
  const faults = faultsOf(log)
  return (everyMs: number, act: () => Promise<void>): Promise<void> => {
    const work = { what: 'judgements cannot be written' }
    return runLoop({
      signal,
      round: async () => {
        await act()
        faults.worked(work)
      },
      everyMs: everyMs / speed,
      firstMs: everyMs / speed,
      onError: (error) => {
        if (!(error instanceof Closing)) faults.failed(work, error)
      },
    }).finally(() => faults.worked(work))
  }
}
