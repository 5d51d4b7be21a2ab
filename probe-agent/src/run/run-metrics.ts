import { createMetrics } from '@probe-mesh/runtime/metrics'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { BrowserHost } from '@probe-mesh/check-types/browser/probe/host'
import { metricPrefix as prefix } from './agent-metrics.ts'
import type { NameInquiry } from '../dns-evidence/inquire.ts'
import type { OwnResolver } from '../dns/resolver.ts'
import type { LargeHeads } from '../request/large-heads.ts'
import type { TargetRate } from '../request/target-rate.ts'
import type { Handshakes } from './handshakes.ts'
import type { OwnFaultNotice } from './own-fault-notice.ts'
import type { RunCounts } from './runner.ts'

const reasons = ['overloaded', 'lagging', 'offline', 'errors'] as const satisfies (keyof RunCounts)[]

/** Registers the metrics of runs of the whole process, all regions together. */
export const registerRunMetrics = (
  registry: Registry,
  parts: {
    counts: Readonly<RunCounts>
    handshakes: Pick<Handshakes, 'inProgress' | 'waiting' | 'pool'>
    names: Pick<NameInquiry, 'pool'>
    resolver: Pick<OwnResolver, 'counts'>
    /** null: browser checks are not measured here. */
    browser: Pick<BrowserHost, 'pages'> | null
    rate: Pick<TargetRate, 'size' | 'counts'>
    largeHeads: Pick<LargeHeads, 'pool'>
    ownFault: OwnFaultNotice['fault']
  },
): void => {
  const { counts, handshakes, names, resolver, browser, rate, largeHeads, ownFault } = parts
  const pools = createPoolMetrics(registry, prefix)
  pools.watch('handshakes', handshakes.pool)
  pools.watch('nameInquiries', names.pool)
  pools.watch('largeHeads', largeHeads.pool)
  if (browser !== null) {
    pools.watch('pages', browser.pages.pool)
    pools.watch('pagesAsked', browser.pages.onDemand)
    pools.watch('pagesTried', browser.pages.trials)
  }
  const metric = createMetrics(registry, prefix)
  const notMeasured: Counter<'why'> = new Counter({
    name: `${prefix}runs_not_measured_total`,
    help: 'Runs that could not be measured because of the probe, by reason',
    labelNames: ['why'],
    registers: [registry],
    collect: () => {
      notMeasured.reset()
      for (const why of reasons) notMeasured.inc({ why }, counts[why])
    },
  })
  const lost: Gauge<'what'> = new Gauge({
    name: `${prefix}own_fault`,
    help: '1 while the resolver answers for no control name (names), or no canary is reachable (network)',
    labelNames: ['what'],
    registers: [registry],
    collect: () => {
      const fault = ownFault()
      lost.set({ what: 'names' }, typeof fault?.namesSince === 'number' ? 1 : 0)
      lost.set({ what: 'network' }, typeof fault?.networkSince === 'number' ? 1 : 0)
    },
  })
  const connections: Gauge<'state'> = new Gauge({
    name: `${prefix}handshakes`,
    help: 'Connections that are being opened or wait for their turn',
    labelNames: ['state'],
    registers: [registry],
    collect: () => {
      connections.set({ state: 'in_progress' }, handshakes.inProgress)
      connections.set({ state: 'waiting' }, handshakes.waiting)
    },
  })
  const lookUps: Counter<'what'> = new Counter({
    name: `${prefix}look_up_queries_total`,
    help: 'Queries for the names of targets: sent over UDP, repeated after none or no answer, truncated, refused for want of room, and datagrams that answer none (ignored, stray)',
    labelNames: ['what'],
    registers: [registry],
    collect: () => {
      const { sent, repeated, truncated, refused, ignored, stray } = resolver.counts()
      lookUps.reset()
      for (const [what, count] of Object.entries({ sent, repeated, truncated, refused, ignored, stray })) {
        lookUps.inc({ what }, count)
      }
    },
  })
  metric.readGauge(
    'look_up_absences',
    'Names with an address family that they lately did not have, which is asked for less often',
    () => resolver.counts().absences,
  )
  metric.readTotal(
    'look_up_absences_dropped_total',
    'Absent address families forgotten because there were too many names',
    () => resolver.counts().absencesDropped,
  )
  metric.readGauge(
    'target_budget_addresses',
    'Addresses with a recent connection that counts against their limit',
    () => rate.size,
  )
  metric.readTotal(
    'target_budget_refused_total',
    'Connections refused because the limit of their address was reached',
    () => rate.counts.refused,
  )
  metric.readTotal(
    'target_budget_forgotten_total',
    'Addresses, and accounts of one, evicted because there were too many',
    () => rate.counts.forgotten,
  )
}
