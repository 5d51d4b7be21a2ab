import { startLoop } from '@probe-mesh/runtime/loop'
import type { Logger } from 'pino'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { isClickHouseUnavailable } from '../../stores/clickhouse/connect.ts'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { spanEndMs } from './spike.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { lookForSpikes } from './look-for-spikes.ts'
import type { AlertMetrics } from '../../alerts/metrics.ts'

const paceMs = 5_000

type SpikeWatcher = { close(): Promise<void> }

/**
 * Looks once a minute for more error events than usual, for every rule that asks for it. Any number of
 * control planes share the rules. Apart from the alerter, so that a store of occurrences that is away or
 * slow holds up no other alert; minutes that nobody could look at are not looked at later.
 */
export const startSpikeWatcher = (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  publicUrl: string
  metrics: AlertMetrics
  registry: Registry
  log: Logger
  now: () => number
}): SpikeWatcher => {
  const { log, now, registry } = capabilities
  const registers = [registry]
  const failed = new Counter({
    name: 'alert_spike_looks_failed_total',
    help: 'Failed checks for error spikes; while this rises, no spike is found',
    registers,
  })
  const looked = new Gauge({
    name: 'alert_spikes_looked_at_seconds',
    help: 'Unix time up to which this control plane checked for error spikes',
    registers,
  })

  let untilMs: number | null = null
  const loop = startLoop({
    everyMs: paceMs,
    round: async () => {
      // all rules are looked at up to the same instant
      untilMs ??= spanEndMs(now())
      if ((await lookForSpikes(capabilities, untilMs)) !== null) return 'again'
      looked.set(untilMs / 1000)
      untilMs = null
      return undefined
    },
    onError: (error) => {
      untilMs = null
      failed.inc()
      const away = isClickHouseUnavailable(error)
      log.warn({ err: error, away }, 'the check for error spikes failed; retrying')
    },
  })
  return {
    close: loop.close,
  }
}
