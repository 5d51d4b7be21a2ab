import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AgentBudgets } from './agent-budgets.ts'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** A private agent with a valid token. */
export type AdmittedAgent = { id: string; accountId: string; name: string }

/** What the parts of the relay share. */
export type RelayContext = {
  /** Sees every account. */
  readonly sql: Sql
  readonly bus: Pick<Bus, 'runs' | 'readings' | 'persisted' | 'events'>
  readonly metrics: RelayMetrics
  readonly budgets: AgentBudgets
  readonly now: () => number
  readonly log: Logger
}

/** Metrics of the relay. */
export const relayMetrics = (registry: Registry, sizes: { feeds(): number }) => {
  const registers = [registry]
  const feeds = new Gauge({
    name: 'relay_agents',
    help: 'Private agents connected to this control plane',
    registers,
    collect() {
      feeds.set(sizes.feeds())
    },
  })
  return {
    readings: new Counter({
      name: 'relay_readings_total',
      help: 'Readings of private agents: taken, dropped because the check is not theirs, of a run that was not requested from them (not_asked), or scheduled at an instant that is not a slot of their check (no_slot)',
      labelNames: ['outcome'] as const,
      registers,
    }),
    refused: new Counter({
      name: 'relay_refused_total',
      help: 'Messages of private agents that were refused: over their budget, too many at once (in_flight) or in a second (rate), or the answer to a run that was not requested (not_asked)',
      labelNames: ['reason'] as const,
      registers,
    }),
    ended: new Counter({
      name: 'relay_feeds_ended_total',
      help: 'Streams of private agents that this control plane ended, by reason',
      labelNames: ['reason'] as const,
      registers,
    }),
  }
}

type RelayMetrics = ReturnType<typeof relayMetrics>
