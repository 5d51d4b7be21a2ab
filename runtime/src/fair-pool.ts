import { createIndexedHeap } from './indexed-heap.ts'
import {
  hasPlaceFor,
  largestOf,
  newOwner,
  orderOf,
  waitingOf,
  withMostWaiting,
  type Owner,
  type OwnerShare,
  type Waiter,
} from './fair-pool-owners.ts'
import { createLine } from './line.ts'
import { createRecent } from './recent.ts'
import { waitInLine, type NoTurn } from './wait-in-line.ts'

/** Limits of a pool: in total, and for each owner. */
export type PoolBounds = {
  /** Works that run at once. */
  places: number
  /** Running works of one owner. */
  placesOfOwner: number
  /** Works that wait for a place. */
  waiting: number
  /** Waiting works of one owner. */
  waitingOfOwner: number
  /**
   * Places reserved for owners with few running works, so that a new owner gets one at once. With a reserve,
   * a free place goes to the owner with the fewest running works. Turns alone would let slow works of one
   * owner occupy all places.
   */
  reserve?: {
    places: number
    /** An owner gets a reserved place while it has fewer running works than this. */
    ofOwner: number
  }
}

/** A limit in addition to the places, such as the work that may start in one turn of the event loop. */
export type PoolGate = {
  /** Whether a work of this cost may start now. Call `resume` on the pool when the gate opens again. */
  mayBegin(cost: number): boolean
  onBegin(cost: number): void
}

/** Permission for one work. Release it at the end of the work, with the actual cost if it differs. */
export type Place = { release(cost?: number): void }

/** Why there is no place: the queue is full, the wait timed out, or the signal aborted. */
export type NoPlace = NoTurn

export type FairPool = {
  /**
   * Waits for a place. The next free place goes to the owner that has received least.
   * @param owner the key of the share, usually an account id
   * @param options.cost the expected cost of the work; 1 by default
   * @param options.waitMsMax the longest wait, ms; by default a work waits until its signal aborts
   */
  take(
    owner: string,
    options?: { signal?: AbortSignal; waitMsMax?: number; cost?: number },
  ): Promise<Place | NoPlace>
  /** A place at once. Null when all are taken, the owner has its share, or another owner is next. */
  takeNow(owner: string, cost?: number): Place | null
  /**
   * Waits without a promise: calls `settle` once, with a place or the reason for none.
   * @returns a function that cancels the wait and the call of `settle`; null when the queue is full
   */
  enqueue(owner: string, settle: (result: Place | NoPlace) => void, cost?: number): (() => void) | null
  /** Starts the next works after the gate opened. */
  resume(): void
  readonly taken: number
  readonly waiting: number
  /** Running works of one owner. */
  takenOf(owner: string): number
  /** From now on, or no longer, the owner is served after all others, without a reserved place. */
  setLast(owner: string, isLast: boolean): void
  readonly counts: Readonly<PoolCounts>
  /** The owners with running or waiting works, largest first. */
  largest(count: number): OwnerShare[]
}

/** Works without a place since the start, by reason. */
type PoolCounts = {
  /** Refused on arrival: the queue or the owner's share of it was full. */
  full: number
  /** Removed from the queue in favour of an owner with fewer waiting works. */
  displaced: number
  timeout: number
}

const openGate: PoolGate = { mayBegin: () => true, onBegin: () => undefined }

/** Bounds the memory of idle owners, and of owners whose wait timed out. */
const idleOwnersMax = 10_000

/**
 * A bounded pool that many owners share fairly (start-time fair queuing).
 * - A free place goes to the waiting owner that has received least. With `n` waiting owners, each is served
 *   within `n` works, independent of the load of the others.
 * - Idle time earns no credit.
 * - An owner whose wait timed out keeps its turn for its next wait.
 * - In a full queue, the owner with the most waiting works loses its newest one to an owner with fewer.
 */
export const createFairPool = (bounds: PoolBounds, gate: PoolGate = openGate): FairPool => {
  const pool: Pool = {
    bounds,
    gate,
    active: new Map(),
    idle: createRecent(idleOwnersMax),
    late: createRecent(idleOwnersMax),
    lastOwners: new Set(),
    inLine: createIndexedHeap(orderOf(bounds)),
    counts: { full: 0, displaced: 0, timeout: 0 },
    taken: 0,
    waiting: 0,
    turns: 0,
    begun: 0,
    serving: false,
  }
  return {
    take: async (name, options = {}) => {
      if (options.signal?.aborted === true) return 'stopped'
      const place = takeNow(pool, name, options.cost)
      if (place !== null) return place
      return waitInLine(
        (settle) => enqueue(pool, name, settle, options.cost),
        options,
        () => onTimeout(pool, name),
      )
    },
    takeNow: (name, cost) => takeNow(pool, name, cost),
    enqueue: (name, settle, cost) => enqueue(pool, name, settle, cost),
    resume: () => serve(pool),
    get taken() {
      return pool.taken
    },
    get waiting() {
      return pool.waiting
    },
    takenOf: (name) => pool.active.get(name)?.taken ?? 0,
    setLast: (name, isLast) => {
      pool.lastOwners[isLast ? 'add' : 'delete'](name)
      const owner = pool.active.get(name)
      if (owner !== undefined) reorder(pool, Object.assign(owner, { isLast }))
    },
    counts: pool.counts,
    largest: (count) => largestOf(pool.active.values(), count),
  }
}

type Pool = {
  readonly bounds: PoolBounds
  readonly gate: PoolGate
  /** Owners with running or waiting works. */
  readonly active: Map<string, Owner>
  /** Virtual time of idle owners. */
  readonly idle: ReturnType<typeof createRecent<number>>
  /** The turn of owners whose wait timed out, until they are served. */
  readonly late: ReturnType<typeof createRecent<number>>
  readonly lastOwners: Set<string>
  /** Waiting owners below their share, by turn. */
  readonly inLine: ReturnType<typeof createIndexedHeap<Owner>>
  readonly counts: PoolCounts
  taken: number
  waiting: number
  turns: number
  /** The latest virtual start time of any work. */
  begun: number
  serving: boolean
}

const takeNow = (pool: Pool, name: string, cost = 1): Place | null => {
  const asking = { taken: pool.active.get(name)?.taken ?? 0, isLast: pool.lastOwners.has(name) }
  if (!hasPlaceFor(pool.bounds, pool.taken, asking)) return null
  // `next` is null with a free place and a queue only when all waiting owners have their share
  return next(pool) === null && pool.gate.mayBegin(cost) ? hold(pool, activate(pool, name), cost) : null
}

const enqueue = (
  pool: Pool,
  name: string,
  settle: Waiter['settle'],
  cost = 1,
): ReturnType<FairPool['enqueue']> => {
  if (!hasRoom(pool, name)) {
    pool.counts.full++
    return null
  }
  const owner = activate(pool, name)
  const waiter: Waiter = { owner, cost, settle }
  owner.queue ??= createLine()
  if (owner.queue.size === 0) owner.turn = pool.late.get(name) ?? ++pool.turns
  owner.queue.push(waiter)
  pool.waiting++
  reorder(pool, owner)
  return () => {
    leave(pool, waiter)
    deactivate(pool, owner)
  }
}

/** The next owner; null when all waiting owners have their share. */
const next = ({ inLine: { first }, bounds, taken }: Pool): Owner | null =>
  first !== undefined && hasPlaceFor(bounds, taken, first) ? first : null

const serve = (pool: Pool): void => {
  // a work that ends at once must not recurse
  if (pool.serving) return
  pool.serving = true
  try {
    while (pool.taken < pool.bounds.places) {
      const waiter = next(pool)?.queue?.first
      if (waiter === undefined || !pool.gate.mayBegin(waiter.cost)) return
      leave(pool, waiter)
      waiter.settle(hold(pool, waiter.owner, waiter.cost))
    }
  } finally {
    pool.serving = false
  }
}

const hold = (pool: Pool, owner: Owner, cost: number): Place => {
  pool.gate.onBegin(cost)
  pool.begun = Math.max(pool.begun, owner.received)
  owner.received += cost
  owner.taken++
  owner.turn = ++pool.turns
  pool.late.delete(owner.name)
  pool.taken++
  reorder(pool, owner)
  let held = true
  return {
    release: (actual = cost) => {
      if (!held) return
      held = false
      owner.received += actual - cost
      owner.taken--
      pool.taken--
      reorder(pool, owner)
      serve(pool)
      deactivate(pool, owner)
    },
  }
}

const activate = (pool: Pool, name: string): Owner => {
  const { active, idle, lastOwners } = pool
  const known = active.get(name)
  if (known !== undefined) return known
  const received = Math.max(virtualTime(pool), idle.get(name) ?? 0)
  const owner = newOwner(name, received, lastOwners.has(name))
  idle.delete(name)
  active.set(name, owner)
  return owner
}

const deactivate = (pool: Pool, owner: Owner): void => {
  if (owner.taken > 0 || waitingOf(owner) > 0 || !pool.active.delete(owner.name)) return
  if (owner.received > virtualTime(pool)) pool.idle.set(owner.name, owner.received)
}

/**
 * The virtual start time of a new owner. Works that started while places were free may be far ahead of the
 * waiting owners, so a new owner never starts behind the next one.
 */
const virtualTime = ({ begun, inLine }: Pool): number => Math.min(begun, inLine.first?.received ?? begun)

const leave = (pool: Pool, waiter: Waiter): void => {
  if (waiter.owner.queue?.delete(waiter) !== true) return
  pool.waiting--
  reorder(pool, waiter.owner)
}

/** Call this after a change of an owner's works or virtual time. */
const reorder = ({ inLine, bounds }: Pool, owner: Owner): void => {
  const isInLine = waitingOf(owner) > 0 && owner.taken < bounds.placesOfOwner
  inLine[isInLine ? 'update' : 'delete'](owner)
}

const hasRoom = (pool: Pool, name: string): boolean => {
  const own = waitingOf(pool.active.get(name))
  return own < pool.bounds.waitingOfOwner && (pool.waiting < pool.bounds.waiting || displace(pool, own))
}

/** Makes room in a full queue: removes the newest work of the owner with the most waiting. */
const displace = (pool: Pool, waitingOfOwner: number): boolean => {
  const newest = withMostWaiting(pool.active.values(), waitingOfOwner + 1)?.queue?.last
  if (newest === undefined) return false
  pool.counts.displaced++
  leave(pool, newest)
  newest.settle('full')
  return true
}

const onTimeout = ({ active, late, counts }: Pool, name: string): void => {
  counts.timeout++
  const owner = active.get(name)
  if (owner?.taken === 0) late.set(name, owner.turn)
}
