import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { FairPool } from './fair-pool.ts'

/** Owners that a figure names; all others together are `other`, so that series stay bounded. */
export const ownersNamedMax = 20

export type PoolMetrics = {
  /** Shows a pool in the figures from now on. @param name its key in the table of shared pools */
  watch(name: string, pool: FairPool): void
  /** All that are shown, by name. */
  readonly pools: ReadonlyMap<string, FairPool>
}

/** One registration for each registry and prefix, whoever asks for it first. */
const known = new WeakMap<Registry, Map<string, PoolMetrics>>()

/**
 * Figures of fair pools: places taken, works waiting, works refused by reason, and the accounts with the most
 * works. Read when the registry is. Parts of one process share them: the same registry gives the same.
 * @param prefix of the figures' names, such as `probe_mesh_agent_`
 */
export const createPoolMetrics = (registry: Registry, prefix = ''): PoolMetrics => {
  const ofRegistry = known.get(registry) ?? new Map<string, PoolMetrics>()
  known.set(registry, ofRegistry)
  const former = ofRegistry.get(prefix)
  if (former !== undefined) return former
  const metrics = register(registry, prefix)
  ofRegistry.set(prefix, metrics)
  return metrics
}

const register = (registry: Registry, prefix: string): PoolMetrics => {
  const pools = new Map<string, FairPool>()
  const registers = [registry]
  const collectEach = (read: (name: string, pool: FairPool) => void) => (): void => {
    for (const [name, pool] of pools) read(name, pool)
  }
  const taken: Gauge<'pool'> = new Gauge({
    name: `${prefix}pool_taken`,
    help: 'Places of a shared pool that are taken',
    labelNames: ['pool'],
    registers,
    collect: collectEach((pool, { taken: places }) => taken.set({ pool }, places)),
  })
  const waiting: Gauge<'pool'> = new Gauge({
    name: `${prefix}pool_waiting`,
    help: 'Works that wait for a place of a shared pool',
    labelNames: ['pool'],
    registers,
    collect: collectEach((pool, { waiting: works }) => waiting.set({ pool }, works)),
  })
  const refused: Counter<'pool' | 'reason'> = new Counter({
    name: `${prefix}pool_refused_total`,
    help: 'Works that got no place of a shared pool, by reason',
    labelNames: ['pool', 'reason'],
    registers,
    collect() {
      this.reset()
      for (const [pool, { counts }] of pools) {
        for (const [reason, count] of Object.entries(counts)) this.inc({ pool, reason }, count)
      }
    },
  })
  const accounts: Gauge<'pool' | 'account'> = new Gauge({
    name: `${prefix}pool_account_works`,
    help: `Works under way or waiting in a shared pool, of the ${ownersNamedMax} largest accounts and of all others`,
    labelNames: ['pool', 'account'],
    registers,
    collect() {
      this.reset()
      for (const [name, pool] of pools) {
        let other = pool.taken + pool.waiting
        for (const share of pool.largest(ownersNamedMax)) {
          const works = share.taken + share.waiting
          this.set({ pool: name, account: share.owner }, works)
          other -= works
        }
        if (other > 0) this.set({ pool: name, account: 'other' }, other)
      }
    },
  })
  void [refused, accounts]
  return {
    watch: (name, pool) => {
      pools.set(name, pool)
    },
    pools,
  }
}
