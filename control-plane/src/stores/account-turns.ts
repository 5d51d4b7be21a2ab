import type { FairPool, Place } from '@probe-mesh/runtime/fair-pool'

/** An account's turn at a store did not come within the time that it may wait: worth trying again. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy'
}

export type Turns = { pool: FairPool; waitMsMax: number }

/** How a store's connections are shared, where accounts share them. */
const turnsOf = new WeakMap<object, Turns>()

/** From now on the works of accounts on this store take a place first. */
export const shareStore = (store: object, turns: Turns): void => {
  turnsOf.set(store, turns)
}

/** Does an account's work on a store when it is the account's turn. @throws `StoreBusy` */
export const inTurn = <T>(store: object, accountId: string, work: () => Promise<T>): Promise<T> => {
  const turns = turnsOf.get(store)
  return turns === undefined ? work() : takeTurn(turns, accountId, work)
}

/**
 * A work costs the time it takes, so that an account whose works are slow waits for those that took little.
 * @throws `StoreBusy`
 */
export const takeTurn = async <T>(
  { pool, waitMsMax }: Turns,
  accountId: string,
  work: () => Promise<T>,
): Promise<T> => {
  const place = pool.takeNow(accountId) ?? (await pool.take(accountId, { waitMsMax }))
  if (typeof place === 'string') throw new StoreBusy(`no turn within ${waitMsMax} ms: ${place}`)
  const beganMs = performance.now()
  try {
    return await work()
  } finally {
    place.release(Math.max(1, performance.now() - beganMs))
  }
}

/** Places that are taken at once or not at all, with a floor for owners that have almost none. */
export type FlooredPlaces = {
  /** @returns `share` where the owner has all it may, `all` where the places are taken */
  take(owner: string): Place | 'share' | 'all'
}

/**
 * @param shared for everybody, up to a share of each
 * @param floors for owners that have fewer than `floor` of both
 */
export const createFlooredPlaces = (
  shared: { pool: FairPool; share: number },
  floors: { pool: FairPool; floor: number },
): FlooredPlaces => ({
  take: (owner) => {
    const place = shared.pool.takeNow(owner)
    if (place !== null) return place
    const own = shared.pool.takenOf(owner) + floors.pool.takenOf(owner)
    if (own >= shared.share) return 'share'
    return (own < floors.floor ? floors.pool.takeNow(owner) : null) ?? 'all'
  },
})
