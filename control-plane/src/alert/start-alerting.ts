import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '../clickhouse/connect.ts'
import type { Sql } from '../postgres/connect.ts'
import { startAlerter } from './alerter.ts'
import { startExpiryWatcher } from './expiry-watcher.ts'
import { startSpikeWatcher } from './spike-watcher.ts'

/** Everything that makes alerts: of checks, of what expires, and of errors. */
export const startAlerting = async (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  publicUrl: string
  registry: Registry
  log: Logger
  now: () => number
}): Promise<{ close(): Promise<void> }> => {
  const alerter = await startAlerter(capabilities)
  const spikes = startSpikeWatcher({ ...capabilities, metrics: alerter.metrics })
  const expiries = startExpiryWatcher({ ...capabilities, metrics: alerter.metrics })
  return {
    close: async () => {
      await Promise.all([alerter.close(), spikes.close(), expiries.close()])
    },
  }
}
