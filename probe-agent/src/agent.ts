import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { pause } from '@probe-mesh/runtime/pause'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { subscriptionOptions, type AgentOptions } from './agent-options.ts'
import { createAgentMetrics, metricPrefix, type AgentMetrics, type DropCause } from './run/agent-metrics.ts'
import { openShare } from './open-share.ts'
import { openStore } from './open-store.ts'
import { keepSubscribed } from './publish/keep-subscribed.ts'
import { recordReading } from './record-reading.ts'
import { tallyMetrics } from './tally-metrics.ts'
import { answerRun } from './schedule/answer-run.ts'
import { createDispatcher, type Dispatcher } from './schedule/dispatcher.ts'
import { createScheduler, type Scheduler } from './schedule/scheduler.ts'
import { setTimer } from './schedule/set-timer.ts'
import type { Publisher } from './publish/publisher.ts'
import type { AssignmentTable } from './ownership/assignment-table.ts'
import type { Spool } from './publish/spool/spool.ts'
import { onHeld, reportHeld } from '@probe-mesh/runtime/loop-watch'

type Losses = Record<Exclude<DropCause, 'disk'>, number>

/** Returns a function that updates the gauges and counts the losses since its last call. */
const createReporter = (parts: {
  scheduler: Scheduler
  table: AssignmentTable
  /** How many agents share the region. */
  memberCount: () => number
  dispatcher: Dispatcher
  spool: Spool
  publisher: Publisher
  metrics: AgentMetrics
  clockAheadSeconds: () => number
}): (() => void) => {
  const { scheduler, table, dispatcher, spool, publisher, metrics } = parts
  let losses: Losses = { spool_full: 0, spool_old: 0, spool_damaged: 0 }
  let skipped = 0

  return () => {
    const stats = spool.stats()
    metrics.gauges({
      assignments: scheduler.size,
      region_assignments: table.size,
      members: parts.memberCount(),
      runs_in_progress: dispatcher.inProgress,
      runs_waiting: dispatcher.waiting,
      spool_readings: stats.readings,
      spool_bytes: stats.bytes,
      messages_sent: publisher.sentCount,
      clock_ahead_seconds: parts.clockAheadSeconds(),
    })
    const { full, old, damaged } = stats.losses
    const lost: Losses = { spool_full: full, spool_old: old, spool_damaged: damaged }
    for (const cause of ['spool_full', 'spool_old', 'spool_damaged'] as const) {
      if (lost[cause] > losses[cause]) metrics.dropped(cause, lost[cause] - losses[cause])
    }
    losses = lost
    if (scheduler.skipped() > skipped) metrics.slotsSkipped(scheduler.skipped() - skipped)
    skipped = scheduler.skipped()
  }
}

/**
 * After a withdrawal the agent runs its share for this long, ms: the others notice within a second.
 */
const handOverMs = 1_500
/** A stop waits this long for runs in progress, ms; the whole stop has 15 s. */
const stopRunsMsMax = 8_000

const reportMs = 1_000
const dropOldMs = 60_000

export type Agent = {
  /** Number of assignments that run here. */
  readonly assignments: number
  /** Number of assignments in the region. */
  readonly regionAssignments: number
  /** The agents that share the region, sorted by name; empty until decided. */
  readonly members: readonly string[]
  /** Number of readings in the spool. */
  readonly spooled: number
  /** Whether the assignments are known, from the bus or the cache. */
  readonly hasAssignments: boolean
  readonly isBusUnavailable: boolean
  /** Resolves when the agent knows its share; a bus that is unavailable delays this by seconds. */
  readonly sharing: Promise<void>
  /** Stops the schedule, ends its runs, publishes what it can and releases the disk. */
  close(): Promise<void>
}

/**
 * Starts one agent: its share of the region's assignments -> slots -> runs -> spool -> stream. It
 * keeps probing while the bus is unavailable, also at its start. It may be killed at any moment:
 * its next start publishes the spooled readings.
 */
export const startAgent = async (options: AgentOptions): Promise<Agent> => {
  const { config, now, log } = options
  const tally = tallyMetrics(createAgentMetrics(options.registry, config.region))
  const { metrics } = tally
  const store = openStore(options, metrics)
  const onBug = (error: unknown) => {
    metrics.bug()
    log.error({ err: error }, 'a run failed because of a bug in the probe')
  }
  const dispatcher = createDispatcher({
    run: options.run,
    now,
    onReading: (reading) => recordReading({ ...store, metrics }, reading),
    onStart: (lateMs) => metrics.started(lateMs),
    onBug,
  })
  // agents of one process share its loop
  const ignoreHeld = onHeld(({ work }) => {
    if (work?.kind === 'check' && work.owner !== null) dispatcher.postpone(work.owner)
  })
  const ignoreOwnHeld = reportHeld(options, {
    isOwn: (work) => work?.kind === 'check' && work.region === config.region,
    effect: 'a run held the event loop; runs of its account start after all others for a minute',
  })
  const pools = createPoolMetrics(options.registry, metricPrefix)
  for (const [name, pool] of Object.entries(dispatcher.pools)) pools.watch(name, pool)
  const scheduler = createScheduler({ now, setTimer, onDue: dispatcher.submit })
  let isSuperseded = false
  const onSuperseded = () => {
    metrics.superseded()
    log.error({ agent: config.agent }, 'another agent took over this name; this agent stops')
    isSuperseded = true
    void close()
    options.onSuperseded?.()
  }
  const wallNow = options.wallNow ?? now
  const reportOwn = () => {
    const nowMs = wallNow()
    const fault = byWall(options.ownFault?.() ?? null, nowMs - now())
    return tally.report(nowMs, store.spool.stats(), fault)
  }
  const share = openShare(options, scheduler, metrics, onSuperseded, reportOwn)
  const runs = keepSubscribed(
    () =>
      options.bus.runs.serve(
        config.region,
        answerRun({ ...config, dispatcher, onRefused: metrics.runRefused }),
      ),
    subscriptionOptions(options, 'runs on demand'),
  )
  const { table } = share
  const memberCount = () => share.members.length
  const { clockAheadSeconds = () => 0 } = options
  const report = createReporter({
    ...store,
    scheduler,
    table,
    memberCount,
    dispatcher,
    metrics,
    clockAheadSeconds,
  })
  const timers = [setInterval(report, reportMs), setInterval(store.dropOld, dropOldMs)]

  const stop = async () => {
    const withdrawn = share.withdraw()
    if (share.members.length > 1 && !isSuperseded) await pause(handOverMs)
    scheduler.close()
    const ended = dispatcher.close(stopRunsMsMax)
    await Promise.all([ended, withdrawn, share.close(), runs.close()])
    for (const timer of timers) clearInterval(timer)
    ignoreHeld()
    ignoreOwnHeld()
    await store.close()
    report()
  }
  let stopped: Promise<void> | null = null
  const close = () => (stopped ??= stop())
  return {
    get assignments() {
      return scheduler.size
    },
    get regionAssignments() {
      return table.size
    },
    get members() {
      return share.members
    },
    get spooled() {
      return store.spool.stats().readings
    },
    get hasAssignments() {
      return share.hasAssignments
    },
    get isBusUnavailable() {
      return share.isBusUnavailable
    },
    sharing: share.decided,
    close,
  }
}

/** Reports use the machine's clock, so that the control plane sees how wrong it is. */
const byWall = (
  fault: NonNullable<AgentReport['ownFault']> | null,
  aheadMs: number,
): AgentReport['ownFault'] => {
  const moved = (since: number | null | undefined) =>
    since === null || since === undefined ? null : Math.max(0, Math.round(since + aheadMs))
  return fault === null
    ? null
    : { namesSince: moved(fault.namesSince), networkSince: moved(fault.networkSince) }
}
