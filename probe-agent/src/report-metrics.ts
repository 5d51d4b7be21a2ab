import type { AgentMetrics, DropCause } from './run/agent-metrics.ts'
import type { Publisher } from './deliver/publisher.ts'
import type { Dispatcher } from './schedule/dispatcher.ts'
import type { Scheduler } from './schedule/scheduler.ts'
import type { Book } from './share/book.ts'
import type { Spool } from './deliver/spool/spool.ts'

type Losses = Record<Exclude<DropCause, 'disk'>, number>

/** Returns what reports, each time it is called, how things stand and what was lost since. */
export const createReporter = (parts: {
  scheduler: Scheduler
  book: Book
  /** How many agents share the region. */
  memberCount: () => number
  dispatcher: Dispatcher
  spool: Spool
  publisher: Publisher
  metrics: AgentMetrics
  clockAheadSeconds: () => number
}): (() => void) => {
  const { scheduler, book, dispatcher, spool, publisher, metrics } = parts
  let losses: Losses = { spool_full: 0, spool_old: 0, spool_damaged: 0 }
  let skipped = 0

  return () => {
    const stats = spool.stats()
    metrics.gauges({
      assignments: scheduler.size,
      region_assignments: book.size,
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
