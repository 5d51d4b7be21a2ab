import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { followedGauge } from '../../stores/leases/tenancies.ts'

/** Metrics of the assessor. */
export const assessMetrics = (
  registry: Registry,
  assessmentState: { size(): number; dirtyCount(): number },
) => {
  const registers = [registry]
  return {
    readings: new Counter({
      name: 'assess_readings_total',
      help: 'Readings judged for status',
      registers,
    }),
    flips: new Counter({
      name: 'assess_flips_total',
      help: 'Status changes recorded, by the status they lead to',
      labelNames: ['to'] as const,
      registers,
    }),
    poison: new Counter({
      name: 'assess_poison_total',
      help: 'Messages that could not be judged and were set aside; see the table poison_messages',
      registers,
    }),
    conflicts: new Counter({
      name: 'assess_conflicts_total',
      help: 'Flips not recorded because the stored state had changed',
      registers,
    }),
    fenced: new Counter({
      name: 'assess_fenced_total',
      help: 'Flips not recorded because another control plane owns the partition now',
      registers,
    }),
    confirmations: new Counter({
      name: 'assess_confirmations_total',
      help: 'Confirmations requested from other regions, by outcome: answered, busy, refused, no_agent, timeout, dropped',
      labelNames: ['outcome'] as const,
      registers,
    }),
    quarantined: new Gauge({
      name: 'region_quarantined',
      help: 'Whether the readings of a region count as unmeasured because its own network fails, 0 or 1',
      labelNames: ['region'] as const,
      registers,
    }),
    doubtsRefused: new Gauge({
      name: 'region_doubts_refused',
      help: 'Whether a region keeps its vote although many hosts fail only there, by reason: unconfirmed (only checks of accounts show it), majority (half of the regions have lost their vote already), 0 or 1',
      labelNames: ['region', 'why'] as const,
      registers,
    }),
    hostsFailing: new Gauge({
      name: 'region_hosts_failing',
      help: 'Watched hosts that fail only in this region, by the owner of their checks: catalog, accounts',
      labelNames: ['region', 'owner'] as const,
      registers,
    }),
    evidenceRefused: new Counter({
      name: 'region_evidence_refused_total',
      help: 'Readings of hosts beyond the limit of watched hosts of one account or of all accounts',
      registers,
    }),
    certificates: new Counter({
      name: 'assess_certificates_total',
      help: 'Sightings of certificates: stored, or dropped because Postgres did not store them in time',
      labelNames: ['outcome'] as const,
      registers,
    }),
    followed: followedGauge(registry, 'assess'),
    checks: new Gauge({
      name: 'assess_checks',
      help: 'Checks in memory',
      registers,
      collect() {
        this.set(assessmentState.size())
      },
    }),
    dirty: new Gauge({
      name: 'assess_unwritten_states',
      help: 'States changed in memory and not yet written to Postgres',
      registers,
      collect() {
        this.set(assessmentState.dirtyCount())
      },
    }),
  }
}

export type AssessMetrics = ReturnType<typeof assessMetrics>
