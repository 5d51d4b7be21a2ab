import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { followedGauge } from '../../stores/leases/tenancies.ts'

/** What the assessor says of itself on `/metrics`. */
export const assessMetrics = (
  registry: Registry,
  book: { size(): number; dirtyCount(): number },
) => {
  const registers = [registry]
  return {
    readings: new Counter({
      name: 'assess_readings_total',
      help: 'Readings taken into account for status',
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
      help: 'Messages that could not be judged and were put aside; see poison_messages',
      registers,
    }),
    conflicts: new Counter({
      name: 'assess_conflicts_total',
      help: 'Flips that were not recorded because the state had moved on',
      registers,
    }),
    fenced: new Counter({
      name: 'assess_fenced_total',
      help: 'Flips that were not recorded because the partition belongs to somebody else by now',
      registers,
    }),
    confirmations: new Counter({
      name: 'assess_confirmations_total',
      help: 'Confirmations asked of other regions, by outcome: answered, busy, refused, no_agent, timeout, dropped',
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
      help: 'Whether a region keeps its vote although many hosts fail in it only, by why: unconfirmed (only accounts say so), majority (half of the regions lost theirs already), 0 or 1',
      labelNames: ['region', 'why'] as const,
      registers,
    }),
    hostsFailing: new Gauge({
      name: 'region_hosts_failing',
      help: 'Watched hosts that fail in a region only, by whose checks measure them: catalog, accounts',
      labelNames: ['region', 'owner'] as const,
      registers,
    }),
    evidenceRefused: new Counter({
      name: 'region_evidence_refused_total',
      help: 'Readings of hosts beyond what is watched of an account or of all accounts',
      registers,
    }),
    certificates: new Counter({
      name: 'assess_certificates_total',
      help: 'Sightings of certificates: stored, or dropped because Postgres did not take them in time',
      labelNames: ['outcome'] as const,
      registers,
    }),
    followed: followedGauge(registry, 'assess'),
    checks: new Gauge({
      name: 'assess_checks',
      help: 'Checks in memory',
      registers,
      collect() {
        this.set(book.size())
      },
    }),
    dirty: new Gauge({
      name: 'assess_unwritten_states',
      help: 'States changed in memory and not yet in Postgres',
      registers,
      collect() {
        this.set(book.dirtyCount())
      },
    }),
  }
}

export type AssessMetrics = ReturnType<typeof assessMetrics>
