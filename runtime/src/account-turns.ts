import type { FairPool, Place } from '@probe-mesh/runtime/fair-pool'

/** The turn of an account did not come within the maximum wait. The caller may retry. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy'
}

export type Turns = { pool: FairPool; waitMsMax: number }

/** How the connections of a database are shared among accounts. */
const turnsOf = new WeakMap<object, Turns>()

/** From now on work of accounts on this database takes a place first. */
export const shareStore = (store: object, turns: Turns): void => {
  turnsOf.set(store, turns)
}

/** Runs an account's work on a database when it is the account's turn. @throws `StoreBusy` */
export const inTurn = <T>(store: object, accountId: string, work: () => Promise<T>): Promise<T> => {
  const turns = turnsOf.get(store)
  return turns === undefined ? work() : takeTurn(turns, accountId, work)
}

/**
 * Work costs the time it takes, so an account with slow work waits for accounts with fast work.
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

/** Places that are taken at once or not at all, with reserved places for owners that have almost none. */
export type FlooredPlaces = {
  /** @returns `share` if the owner has its maximum, `all` if all places are taken */
  take(owner: string): Place | 'share' | 'all'
}

/**
 * @param shared for all owners, up to a share for each
 * @param floors for owners with fewer than `floor` places in total
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
