import type { LoopContext } from '../../stores/loop-context.ts'
import type { Loop } from '@probe-mesh/runtime/loop'
import { faultsOf, keepLooping } from '../../stores/faults.ts'
import { listen } from '../../stores/postgres/listen.ts'
import { processDueAlerts } from '../../alerts/claim-due-alerts.ts'
import { alertMetrics, type AlertMetrics } from '../../alerts/metrics.ts'
import type { MailLinks } from '../../alerts/context.ts'
import { closeAbandoned } from '../../incidents/leave-incidents.ts'
import { releaseHeld } from '../../incidents/held-failures.ts'
import { dropWaiting } from '../../alerts/alert-messages-store.ts'
import { sendNextBatch } from '../../alerts/send-batches.ts'
import { errorAlertSteps } from '@probe-mesh/error-tracking/feature'
import { adviseHeartbeats } from './advise-heartbeats.ts'
import { findDue } from './find-due.ts'
import { handOverNext } from '../../on-call/hand-over.ts'
import { processFlips } from './process-flips.ts'

/** How often due alerts and message batches are processed; sooner when a batch is due sooner. */
const paceMs = 500
const paceMsMin = 100
const flipsPerBatch = 200
const alertsPerBatch = 200
/** Batches sent in one turn; the others are sent in the next. */
const batchesPerTurn = 200
/** Batches that are sent at once: each is a transaction of many short statements. */
const sendersMax = 4
/** What a page says of a check that was paused, deleted or unpublished is wrong for so long at most. */
const abandonedMs = 5_000
const sweepMs = 60_000
const abandonedPerSweep = 100
const heartbeatsPerBatch = 200

export type Alerter = { readonly metrics: AlertMetrics; close(): Promise<void> }

/**
 * Turns flips into alerts, reminders, recoveries and automatic incidents by the alert rules, and new and
 * returning error issues into alerts by the rules of error tracking. Messages are batched for each
 * receiver so that a storm is one message. Every step is one transaction, and any number of control
 * planes share the work.
 */
export const startAlerter = async (
  capabilities: LoopContext & MailLinks & { errorTracking?: 'on' | 'off' },
): Promise<Alerter> => {
  const { sql, log, now } = capabilities
  const context = { ...capabilities, metrics: alertMetrics(capabilities.registry), causes: new Map() }
  let loop: Loop | null = null
  const listening = await listen(sql, 'outbox', {
    onNotify: () => loop?.wake(),
    onConnected: () => loop?.wake(),
  })

  let closing = new AbortController().signal
  const repeat = async (act: () => Promise<number>, full: number): Promise<void> => {
    while ((await act()) >= full && !closing.aborted);
  }
  const sendFurther = async (): Promise<void> => {
    let sent = 1
    const send = async (): Promise<void> => {
      while (sent++ < batchesPerTurn && !closing.aborted) if ((await sendNextBatch(context)) === 0) return
    }
    const ended = await Promise.allSettled(Array.from({ length: sendersMax }, send))
    const failed = ended.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
  const sendAll = async (): Promise<void> => {
    // several at once only where there are several
    if ((await sendNextBatch(context)) > 0) await sendFurther()
  }
  const every = (ms: number, act: () => Promise<unknown>): (() => Promise<void>) => {
    let actedAtMs = Number.NEGATIVE_INFINITY
    return async () => {
      if (Math.abs(now() - actedAtMs) < ms) return
      actedAtMs = now()
      await act()
    }
  }
  const closeIncidents = every(abandonedMs, () => closeAbandoned(context, abandonedPerSweep))
  const sweep = every(sweepMs, async () => {
    context.metrics.dropped.inc(await dropWaiting(sql, now()))
    await repeat(() => adviseHeartbeats(context, heartbeatsPerBatch), heartbeatsPerBatch)
  })
  const steps = [
    {
      what: 'changes of checks cannot become alerts',
      act: () => repeat(() => processFlips(context, flipsPerBatch), flipsPerBatch),
    },
    {
      what: 'due alerts cannot be processed',
      act: () => repeat(() => processDueAlerts(context, alertsPerBatch), alertsPerBatch),
    },
    {
      what: 'held incidents cannot be released',
      act: () => repeat(() => releaseHeld(context, alertsPerBatch), alertsPerBatch),
    },
    { what: 'hand-overs of schedules cannot be written', act: () => repeat(() => handOverNext(context), 1) },
    { what: 'messages of alerts cannot be written', act: sendAll },
    ...(capabilities.errorTracking === 'off' ? [] : errorAlertSteps(context)).map(({ what, act }) => ({
      what,
      act: () => repeat(act, 1),
    })),
  ]
  const timed = [
    { what: 'incidents of unwatched checks cannot be closed', act: closeIncidents },
    { what: 'old messages cannot be dropped', act: sweep },
  ]

  const faults = faultsOf(log)
  let waitMs = paceMs
  let isDue = true
  const look = {
    what: 'due alerts cannot be looked for',
    act: async () => {
      isDue = true
      const due = await findDue(sql, now(), capabilities)
      waitMs = Math.max(paceMsMin, Math.min((due.nextSendMs ?? Number.POSITIVE_INFINITY) - now(), paceMs))
      isDue = due.isDue
    },
  }
  /** A step that failed is tried until it works. */
  let hasFailed = true
  loop = keepLooping(log, {
    what: 'alerts cannot be processed',
    round: async (signal) => {
      closing = signal
      waitMs = paceMs
      await faults.attempt(look, look.act)
      const isFull = isDue || hasFailed
      hasFailed = false
      for (const step of isFull ? [...steps, ...timed] : timed) {
        if (!(await faults.attempt(step, step.act))) hasFailed = true
      }
      // what the steps wrote may be due sooner
      if (isFull && !hasFailed) await faults.attempt(look, look.act)
    },
    everyMs: () => waitMs,
  })
  const { close } = loop
  return {
    metrics: context.metrics,
    close: async () => {
      await close()
      await listening.close()
    },
  }
}
