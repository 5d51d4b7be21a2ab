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
export const inFigures = (count: number): string => count.toLocaleString('en-US')

/** A budget without places: its row and the numbers that the code uses. */
export type LimitedPool = SharedPool & { limits: object }
