import { keepLooping } from '@probe-mesh/control-plane/src/stores/faults'
import { Counter, Gauge, type Registry } from 'prom-client'
import { spanEndMs } from './spike.ts'
import { checkNextSpikeRule, type SpikeContext } from './check-spikes.ts'

const paceMs = 5_000

type SpikeWatcher = { close(): Promise<void> }

/**
 * Checks all rules for error spikes once a minute. Control planes share the rules. Runs outside the alerter,
 * so that an unavailable or slow ClickHouse does not delay other alerts. Missed minutes are not checked
 * later.
 */
export const startSpikeWatcher = (capabilities: SpikeContext & { registry: Registry }): SpikeWatcher => {
  const { log, now, registry } = capabilities
  const registers = [registry]
  const failed = new Counter({
    name: 'alert_spike_looks_failed_total',
    help: 'Failed checks for error spikes; while this rises, no spike is found',
    registers,
  })
  const checkedAt = new Gauge({
    name: 'alert_spikes_looked_at_seconds',
    help: 'Unix time up to which this control plane checked for error spikes',
    registers,
  })

  let untilMs: number | null = null
  const loop = keepLooping(log, {
    what: 'rules for error spikes cannot be checked',
    everyMs: paceMs,
    round: async () => {
      // all rules are checked up to the same instant
      untilMs ??= spanEndMs(now())
      const checked = await checkNextSpikeRule(capabilities, untilMs).catch((error: unknown) => {
        untilMs = null
        failed.inc()
        throw error
      })
      if (checked !== null) return 'again'
      checkedAt.set(untilMs / 1000)
      untilMs = null
      return undefined
    },
  })
  return {
    close: loop.close,
  }
}
