import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** What the reports say of themselves on `/metrics`: figures of all services together. */
export const reportMetrics = (
  registry: Registry,
  asked: { reporters(): number; unwritten(): number },
) => {
  const registers = [registry]
  return {
    reports: new Counter({
      name: 'reports_total',
      help: 'Reports that came here, by outcome: counted, repeated (the same address again), full (not counted, since no more addresses can be remembered)',
      labelNames: ['outcome'] as const,
      registers,
    }),
    told: new Counter({
      name: 'reports_told_total',
      help: 'Reports that other instances counted and told',
      registers,
    }),
    lost: new Counter({
      name: 'reports_unwritten_lost_total',
      help: 'Reports counted and not written, since too much waits for Postgres',
      registers,
    }),
    reporters: new Gauge({
      name: 'reports_remembered',
      help: 'Hashes of addresses that have reported in the last quarter of an hour',
      registers,
      collect() {
        this.set(asked.reporters())
      },
    }),
    unwritten: new Gauge({
      name: 'reports_unwritten_counts',
      help: 'Counts that wait to be written to Postgres',
      registers,
      collect() {
        this.set(asked.unwritten())
      },
    }),
  }
}
