import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AgentBudgets } from './agent-budgets.ts'
import type { RelayMetrics } from './metrics.ts'

/** A private agent whose token was good. */
export type AdmittedAgent = { id: string; accountId: string; name: string }

/** What private agents are served with. */
export type RelayContext = {
  /** Sees every account. */
  readonly sql: Sql
  readonly bus: Pick<Bus, 'runs' | 'readings' | 'persisted' | 'events'>
  readonly metrics: RelayMetrics
  readonly budgets: AgentBudgets
  readonly now: () => number
  readonly log: Logger
}
