import { createMetrics } from '@probe-mesh/runtime/metrics'
import { startLoop } from '@probe-mesh/runtime/loop'
import type { Registry } from 'prom-client'
import { isClickHouseUnavailable } from '../stores/clickhouse/connect.ts'
import { judgeNextAccount, type BurnContext } from './judge-burns.ts'

/** The wait while no account is due. */
const paceMs = 5_000

/** Judges the objectives of every account once a minute, one account after another, and alerts about burns. */
export const startBurnWatcher = (
  capabilities: BurnContext & { registry: Registry },
): { close(): Promise<void> } => {
  const { log, registry } = capabilities
  const metric = createMetrics(registry)
  const judged = metric.counter(
    'alert_burn_looks_total',
    'Accounts whose objectives were judged for burn alerts',
  )
  const failed = metric.counter(
    'alert_burn_looks_failed_total',
    'Accounts whose objectives could not be judged; each is judged again a minute later',
  )
  const loop = startLoop({
    everyMs: paceMs,
    round: async () => {
      if (!(await judgeNextAccount(capabilities))) return undefined
      judged.inc()
      return 'again'
    },
    onError: (error) => {
      failed.inc()
      const clickhouseUnavailable = isClickHouseUnavailable(error)
      log.warn(
        { err: error, clickhouseUnavailable },
        'objectives of an account could not be judged; retrying',
      )
    },
    retryMs: () => paceMs / 5,
  })
  return { close: loop.close }
}
