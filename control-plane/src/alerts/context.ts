import type { Logger } from 'pino'
import type { AlertMetrics } from './metrics.ts'
import type { Sql } from '../stores/postgres/connect.ts'

/** What the alerter's operations need. */
export type AlertContext = {
  readonly sql: Sql
  /** The base of links, without a slash at its end. */
  readonly publicUrl: string
  readonly metrics: AlertMetrics
  readonly log: Logger
  readonly now: () => number
}
