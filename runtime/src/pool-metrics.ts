import { Counter, Gauge, type Registry } from 'prom-client'
import type { FairPool } from './fair-pool.ts'

/** Owners that a metric names. All others are summed up as `other`, which bounds the series. */
export const ownersNamedMax = 20

export type PoolMetrics = {
  /**
   * Adds a pool to the metrics. Pools with the same name, such as those of several regions, are summed up.
   * @param name its key in the table of shared pools
   */
  watch(name: string, pool: FairPool): void
  /** All watched pools, by name. */
  readonly pools: ReadonlyMap<string, readonly FairPool[]>
}

/** Keeps one instance for each registry and prefix. Programs in one process share a registry. */
const made = new WeakMap<Registry, Map<string, PoolMetrics>>()

/** The pool metrics of a registry and prefix. Registers them once. */
export const createPoolMetrics = (registry: Registry, prefix = ''): PoolMetrics => {
  const known = made.get(registry) ?? new Map<string, PoolMetrics>()
  const metrics = known.get(prefix) ?? register(registry, prefix)
  made.set(registry, known.set(prefix, metrics))
  return metrics
}

/**
 * Metrics of fair pools: occupied places, waiting works, refused works by reason, and the largest accounts.
 * @param prefix of the metric names, such as `probe_mesh_agent_`
 */
const register = (registry: Registry, prefix: string): PoolMetrics => {
  const pools = new Map<string, FairPool[]>()
  const registers = [registry]
  const collectSum = (gauge: () => Gauge<'pool'>, read: (pool: FairPool) => number) => (): void => {
    for (const [pool, same] of pools) {
      gauge().set(
        { pool },
        same.reduce((sum, each) => sum + read(each), 0),
      )
    }
  }
  const taken: Gauge<'pool'> = new Gauge({
    name: `${prefix}pool_taken`,
    help: 'Occupied places of a shared pool',
    labelNames: ['pool'],
    registers,
    collect: collectSum(
      () => taken,
      (pool) => pool.taken,
    ),
  })
  const waiting: Gauge<'pool'> = new Gauge({
    name: `${prefix}pool_waiting`,
    help: 'Works waiting for a place in a shared pool',
    labelNames: ['pool'],
    registers,
    collect: collectSum(
      () => waiting,
      (pool) => pool.waiting,
    ),
  })
  const refused: Counter<'pool' | 'reason'> = new Counter({
    name: `${prefix}pool_refused_total`,
    help: 'Works refused by a shared pool, by reason',
    labelNames: ['pool', 'reason'],
    registers,
    collect() {
      this.reset()
      for (const [pool, same] of pools) {
        for (const [reason, count] of same.flatMap(({ counts }) => Object.entries(counts))) {
          this.inc({ pool, reason }, count)
        }
      }
    },
  })
  const accounts: Gauge<'pool' | 'account'> = new Gauge({
    name: `${prefix}pool_account_works`,
    help: `Running and waiting works in a shared pool, of the ${ownersNamedMax} largest accounts and of all others`,
    labelNames: ['pool', 'account'],
    registers,
    collect() {
      this.reset()
      for (const [pool, same] of pools) {
        let other = same.reduce((sum, each) => sum + each.taken + each.waiting, 0)
        for (const [account, works] of largestOf(same)) {
          this.set({ pool, account }, works)
          other -= works
        }
        if (other > 0) this.set({ pool, account: 'other' }, other)
      }
    },
  })
  void [refused, accounts]
  return {
    watch: (name, pool) => {
      const same = pools.get(name) ?? []
      pools.set(name, [...same, pool])
    },
    pools,
  }
}

/** The owners with the most works, with their number. */
const largestOf = (pools: readonly FairPool[]): [string, number][] => {
  const works = new Map<string, number>()
  for (const { owner, taken, waiting } of pools.flatMap((pool) => pool.largest(ownersNamedMax))) {
    works.set(owner, (works.get(owner) ?? 0) + taken + waiting)
  }
  return [...works].toSorted(([, a], [, b]) => b - a).slice(0, ownersNamedMax)
}
