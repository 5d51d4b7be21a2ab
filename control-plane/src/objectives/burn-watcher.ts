import { createMetrics } from '@probe-mesh/runtime/metrics'
import { keepLooping } from '../stores/faults.ts'
import type { Registry } from 'prom-client'
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
  const loop = keepLooping(log, {
    what: 'objectives of an account cannot be judged',
    everyMs: paceMs,
    round: async () => {
      const isJudged = await judgeNextAccount(capabilities).catch((error: unknown) => {
        failed.inc()
        throw error
      })
      if (!isJudged) return undefined
      judged.inc()
      return 'again'
    },
  })
  return { close: loop.close }
}
