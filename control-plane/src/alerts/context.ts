import type { Logger } from 'pino'
import type { AlertMetrics } from './metrics.ts'
import type { Sql } from '../stores/postgres/connect.ts'

/** The capabilities of the alerter's acts. */
export type AlertContext = {
  readonly sql: Sql
  /** Without a slash at its end: what goes into links. */
  readonly publicUrl: string
  readonly metrics: AlertMetrics
  readonly log: Logger
  readonly now: () => number
}
