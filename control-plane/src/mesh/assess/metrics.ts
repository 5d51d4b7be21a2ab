import { createMetrics } from '@probe-mesh/runtime/metrics'
import type { Registry } from 'prom-client'
import { followedGauge } from '../../stores/leases/tenancies.ts'

export const assessMetrics = (
  registry: Registry,
  assessmentState: { size(): number; dirtyCount(): number },
) => {
  const metric = createMetrics(registry)
  return {
    readings: metric.counter('assess_readings_total', 'Readings judged for status'),
    flips: metric.counter('assess_flips_total', 'Status changes recorded, by the status they lead to', 'to'),
    poison: metric.counter(
      'assess_poison_total',
      'Messages that could not be judged and were set aside; see the table poison_messages',
    ),
    conflicts: metric.counter(
      'assess_conflicts_total',
      'Flips not recorded because the stored state had changed',
    ),
    fenced: metric.counter(
      'assess_fenced_total',
      'Flips not recorded because another control plane owns the partition now',
    ),
    confirmations: metric.counter(
      'assess_confirmations_total',
      'Confirmations requested from other regions, by outcome: answered, busy, refused, no_agent, timeout, dropped',
      'outcome',
    ),
    quarantined: metric.gauge(
      'region_quarantined',
      'Whether the readings of a region count as unmeasured because its own network fails, 0 or 1',
      'region',
    ),
    doubtsRefused: metric.gauge(
      'region_doubts_refused',
      'Whether a region keeps its vote although many hosts fail only there, by reason: unconfirmed (only checks of accounts show it), majority (half of the regions have lost their vote already), 0 or 1',
      'region',
      'why',
    ),
    hostsFailing: metric.gauge(
      'region_hosts_failing',
      'Watched hosts that fail only in this region, by the owner of their checks: catalog, accounts',
      'region',
      'owner',
    ),
    evidenceRefused: metric.counter(
      'region_evidence_refused_total',
      'Readings of hosts beyond the limit of watched hosts of one account or of all accounts',
    ),
    certificates: metric.counter(
      'assess_certificates_total',
      'Sightings of certificates: stored, or dropped because Postgres did not store them in time',
      'outcome',
    ),
    providers: metric.counter(
      'assess_providers_total',
      'Sightings of providers of checks: stored, or dropped because Postgres did not store them in time',
      'outcome',
    ),
    followed: followedGauge(registry, 'assess'),
    checks: metric.readGauge('assess_checks', 'Checks in memory', assessmentState.size),
    dirty: metric.readGauge(
      'assess_unwritten_states',
      'States that changed in memory and are not written to Postgres yet, apart from those that only got newer',
      () => assessmentState.dirtyCount(),
    ),
  }
}

export type AssessMetrics = ReturnType<typeof assessMetrics>
