import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'

/** A pool or budget that accounts share, as a row of `docs/overload.md`. */
export type SharedPool = {
  /** The shared resource. */
  what: string
  /** The total for all accounts. */
  bound: string
  /** The maximum of one account. */
  share: string
  /** The guaranteed minimum of an account with little load. */
  floor: string
  /** The effect of a refusal. */
  refused: string
  /** Its metrics. */
  figures: readonly string[]
  /** The bounds that the code uses, of a pool with places. */
  bounds?: PoolBounds
}

/** A pool with places: its row and the bounds that the code uses. */
export type PlacedPool = SharedPool & { bounds: PoolBounds }

/** A pool of works that a client can make slow: the longest work, and the longest wait for a turn, ms. */
export type SlowPool = PlacedPool & { workMsMax: number; waitMsMax: number }

export const isSlow = (pool: SharedPool): pool is SlowPool =>
  pool.bounds !== undefined && 'workMsMax' in pool && 'waitMsMax' in pool

/**
 * The number of accounts at their share, each with the slowest work all the time, next to which a work of another
 * account still starts within its wait.
 */
export const slowestNeighbours = ({
  bounds: { places, placesOfOwner },
  workMsMax,
  waitMsMax,
}: Pick<SlowPool, 'bounds' | 'workMsMax' | 'waitMsMax'>): number => {
  const turnsWithinWait = Math.floor((waitMsMax - 1) / workMsMax)
  return Math.ceil(places / placesOfOwner) + places * turnsWithinWait - 1
}

/** The metrics of a pool with places, plus other metrics of its works. */
export const poolFigures = (...others: string[]): string[] => [
  'pool_taken',
  'pool_waiting',
  'pool_refused_total',
  'pool_account_works',
  ...others,
]

/** Number formats of the rows. */
export const inSeconds = (ms: number): string => `${ms / 1_000} s`
/** A budget without places: its row and the numbers that the code uses. */
export type LimitedPool = SharedPool & { limits: object }
