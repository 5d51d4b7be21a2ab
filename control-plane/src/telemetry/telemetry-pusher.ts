import { anySignal } from '@probe-mesh/runtime/any-signal'
import { backoffMs, halfJitter } from '@probe-mesh/runtime/backoff'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import { keepLooping } from '../stores/faults.ts'
import type { Registry } from 'prom-client'
import { failureOf } from '../notifications/channels/channel-sender.ts'
import { createProbeCounts, type ObjectiveContext } from '../objectives/objective-states.ts'
import { pushMetrics } from './push-metrics.ts'
import type { PushResult, SendPart } from './push-result.ts'
import { nextPushMs, type Pushed } from './push-plan.ts'
import { pushTraces } from './push-traces.ts'
import { sendTelemetry, type TelemetrySender } from './send-telemetry.ts'
import { claimPush, writeOutcome, type ClaimedPush } from './telemetry-store.ts'

/** The wait while nothing is due. */
const paceMs = 2_000
/** The whole time of a push: a slow endpoint holds one of the places for this long at most. */
const pushMsMax = 45_000
/** After this another control plane may run a push that was lost with its process. */
const leaseMs = 90_000
/** Pushes at the same time; an account has one of each signal. */
const atOnceMax = 16
const backoff = { firstMs: 60_000, maxMs: 900_000 }

export type TelemetryContext = ObjectiveContext & TelemetrySender & { readonly random: () => number }

/**
 * Pushes the metrics and traces of accounts by OTLP, each once a minute. An endpoint that fails waits longer each time,
 * and holds up no other (S-3736). Any number of control planes share the pushes.
 */
export const startTelemetryPusher = (
  capabilities: Omit<TelemetryContext, 'probeCounts'> & { registry: Registry },
): { close(): Promise<void> } => {
  const { log, registry, sql, now } = capabilities
  const context = { ...capabilities, probeCounts: createProbeCounts(now) }
  const metric = createMetrics(registry)
  const pushes = metric.counter(
    'telemetry_pushes_total',
    'Pushes of metrics and traces to endpoints of accounts, by outcome',
    'signal',
    'outcome',
  )
  const dropped = metric.counter(
    'telemetry_runs_dropped_total',
    'Runs that were not pushed because the endpoint of their account failed too long',
  )
  const running = new Set<Promise<void>>()
  const run = async (push: ClaimedPush, stop: AbortSignal): Promise<void> => {
    try {
      const outcome = await pushOnce(context, push, stop)
      pushes.inc({ signal: push.signal, outcome: outcome.isFailed ? 'failed' : 'ok' })
      dropped.inc(outcome.dropped)
    } catch (error) {
      // its lease ends, and it is due again
      pushes.inc({ signal: push.signal, outcome: 'failed' })
      if (!stop.aborted) log.warn({ err: error, accountId: push.accountId }, 'a push of telemetry failed')
    }
  }
  const loop = keepLooping(log, {
    what: 'due pushes of telemetry cannot be read',
    everyMs: paceMs,
    round: async (stop) => {
      while (running.size < atOnceMax && !stop.aborted) {
        const nowMs = now()
        const push = await claimPush(sql, { nowMs, untilMs: nowMs + leaseMs })
        if (push === null) return
        const work = run(push, stop).finally(() => running.delete(work))
        running.add(work)
      }
    },
  })
  return {
    close: async () => {
      await loop.close()
      await Promise.all(running)
    },
  }
}

/** Runs a push and writes what it did. @throws errors of the databases; the signal's reason once it aborts */
export const pushOnce = async (
  context: TelemetryContext,
  push: ClaimedPush,
  stop: AbortSignal,
): Promise<{ isFailed: boolean; dropped: number }> => {
  const { now } = context
  const within = anySignal([stop, AbortSignal.timeout(pushMsMax)])
  const { settledToMs, pushed } = push
  const send: SendPart = (items) => sendTelemetry(context, push, items, within)
  let result: PushResult & Pushed
  try {
    result =
      push.signal === 'traces'
        ? await pushTraces(context, push, send, within)
        : { ...(await pushMetrics(context, push.accountId, send)), settledToMs, pushed }
  } catch (error) {
    if (stop.aborted || !within.aborted) throw error
    const { detail } = failureOf(within.reason, within)
    const failure = { detail, retryAfterMs: null, waits: true }
    result = { failure, warning: null, sent: 0, refused: 0, dropped: 0, settledToMs, pushed }
  }
  const { failure, warning, ...counts } = result
  const atMs = now()
  const failures = failure === null ? 0 : push.failures + 1
  const dueMs =
    failure?.waits !== true
      ? nextPushMs(atMs, context.random())
      : atMs + Math.max(failure.retryAfterMs ?? 0, halfJitter(backoffMs(backoff, failures), context.random()))
  const error = failure?.detail ?? warning
  await writeOutcome(context.sql, push, { ...counts, atMs, dueMs, failures, error })
  return { isFailed: failure !== null, dropped: counts.dropped }
}
