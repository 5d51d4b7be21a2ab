import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'

/** A pool or budget that many accounts share, as `docs/overload.md` prints it. */
export type SharedPool = {
  /** What is shared. */
  what: string
  /** How much there is for everybody together. */
  bound: string
  /** The most that one account gets. */
  share: string
  /** What no other account can take from one that asks for little. */
  floor: string
  /** What happens to what does not fit. */
  refused: string
  /** Where it is counted: figures of `/metrics`. */
  figures: readonly string[]
  /** Of a pool with places: the bounds that the code uses. */
  bounds?: PoolBounds
}

/** A pool with places: its row and the bounds that the code uses. */
export type PlacedPool = SharedPool & { bounds: PoolBounds }

/** The figures of a pool with places, and what else counts its works. */
export const poolFigures = (...others: string[]): string[] => [
  'pool_taken',
  'pool_waiting',
  'pool_refused_total',
  'pool_account_works',
  ...others,
]

/** As rows say them. */
export const inSeconds = (ms: number): string => `${ms / 1_000} s`
export const inFigures = (count: number): string => count.toLocaleString('en-US')

/** A budget without places: its row and the numbers that the code uses. */
export type LimitedPool = SharedPool & { limits: object }
