import { createMetrics } from '@probe-mesh/runtime/metrics'
import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AssignmentSealer } from '../../secrets/seal-assignments.ts'
import type { AgentBudgets } from './agent-budgets.ts'
import type { Registry } from 'prom-client'

/** A private agent with a valid token. */
export type AdmittedAgent = { id: string; accountId: string; name: string }

/** The shared parts of the relay. */
export type RelayContext = {
  /** Sees every account. */
  readonly sql: Sql
  readonly bus: Pick<Bus, 'runs' | 'readings' | 'persisted' | 'events'>
  readonly sealer: AssignmentSealer
  readonly metrics: RelayMetrics
  readonly budgets: AgentBudgets
  readonly now: () => number
  readonly log: Logger
}

export const relayMetrics = (registry: Registry, sizes: { feeds(): number }) => {
  const metric = createMetrics(registry)
  metric.readGauge('relay_agents', 'Private agents connected to this control plane', sizes.feeds)
  return {
    readings: metric.counter(
      'relay_readings_total',
      'Readings of private agents: taken, dropped because the check is not theirs, of a run that was not requested from them (not_asked), or scheduled at an instant that is not a slot of their check (no_slot)',
      'outcome',
    ),
    refused: metric.counter(
      'relay_refused_total',
      'Messages of private agents that were refused: over their budget, too many at once (in_flight) or in a second (rate), or the answer to a run that was not requested (not_asked)',
      'reason',
    ),
    ended: metric.counter(
      'relay_feeds_ended_total',
      'Streams of private agents that this control plane ended, by reason',
      'reason',
    ),
  }
}

type RelayMetrics = ReturnType<typeof relayMetrics>
