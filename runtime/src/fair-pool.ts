import { createIndexedHeap } from './indexed-heap.ts'
import { createLine } from './line.ts'
import type { Line } from './line.ts'
import { createRecent } from './recent.ts'
import { waitInLine } from './wait-in-line.ts'
import type { NoTurn } from './wait-in-line.ts'

/** How much a pool gives to everybody together and to one owner. */
export type PoolBounds = {
  /** Works under way at once. */
  places: number
  /** Of them, those of one owner. */
  placesOfOwner: number
  /** Works that wait for a place. */
  waiting: number
  /** Of them, those of one owner. */
  waitingOfOwner: number
  /**
   * Places that only owners with few works under way get, so that a newcomer finds one at once while the
   * others' works last. With it, a free place goes to the owner with the fewest works under way: works may last
   * long, and turns alone would let slow works of one owner hold all places.
   */
  reserve?: {
    /** Of the places, how many are kept. */
    places: number
    /** An owner gets one of them while it has fewer works than this under way. */
    ofOwner: number
  }
}

/** A bound beside the places, such as work that may begin in one turn of the event loop. */
export type PoolGate = {
  /** Whether a work of this cost may begin now. Once it may again, `resume` the pool. */
  mayBegin(cost: number): boolean
  onBegin(cost: number): void
}

/** The right to do one work; released when it has ended, with what it cost if that was not known before. */
export type Place = { release(cost?: number): void }

/** Why there is no place: the queue is full, the wait was too long, or the signal aborted. */
export type NoPlace = NoTurn

export type FairPool = {
  /**
   * Waits for a place. The next free place goes to the owner that has received least.
   * @param owner an account's id, or whatever else shares are counted by
   * @param options.cost what the work is expected to cost; 1 where works cost the same
   * @param options.waitMsMax the longest wait, ms; without it a work waits until its signal aborts
   */
  take(
    owner: string,
    options?: { signal?: AbortSignal; waitMsMax?: number; cost?: number },
  ): Promise<Place | NoPlace>
  /** A place at once; null where all are taken, the owner has its share, or another owner is next. */
  takeNow(owner: string, cost?: number): Place | null
  /**
   * Waits without a promise: `settle` is called once, with a place or why there is none.
   * @returns what ends the wait, after which `settle` is not called; null where the queue is full
   */
  enqueue(
    owner: string,
    settle: (result: Place | NoPlace) => void,
    cost?: number,
  ): (() => void) | null
  /** Looks again who may begin: the gate is open. */
  resume(): void
  readonly taken: number
  readonly waiting: number
  /** Works of one owner that are under way. */
  takenOf(owner: string): number
  readonly counts: Readonly<PoolCounts>
  /** The owners with works under way or waiting, those with the most first. */
  largest(count: number): OwnerShare[]
}

export type OwnerShare = { owner: string; taken: number; waiting: number }

/** Works that got no place since the start. */
export type PoolCounts = {
  /** Refused on arrival: the queue, or the owner's share of it, was full. */
  full: number
  /** Gave up their place in the queue to an owner with fewer works waiting. */
  displaced: number
  timeout: number
}

type Owner = {
  readonly name: string
  taken: number
  /** null until it has waited. */
  queue: Line<Waiter> | null
  /** What it has received, as virtual time: the owner with the least is served next. */
  received: number
  /** When it was served, or began to wait: of owners that have received the same, the earlier is next. */
  turn: number
  /** In the heap of those that wait and have less than their share; -1 otherwise. */
  at: number
}
type Waiter = { owner: Owner; cost: number; settle(result: Place | NoPlace): void }

/** Lets everything begin. */
const openGate: PoolGate = { mayBegin: () => true, onBegin: () => undefined }

/** Idle owners that are remembered for what they have received, and those whose wait was too long. */
const idleOwnersMax = 10_000

/**
 * A bounded pool of works that many owners share fairly (start-time fair queuing). A free place goes to the
 * waiting owner that has received least, so that of `n` waiting owners each is served within `n` works, whatever
 * the others ask for; idling earns no credit. An owner whose wait was too long keeps its turn for the next time. In a full queue the owner with the most waiting gives up its newest
 * work to an owner with fewer, so that one is refused only where no other has more waiting.
 */
export const createFairPool = (bounds: PoolBounds, gate: PoolGate = openGate): FairPool => {
  const { reserve } = bounds
  /** Owners with works under way or waiting. */
  const active = new Map<string, Owner>()
  /** What idle owners had received. */
  const idle = createRecent<number>(idleOwnersMax)
  /** Since when those wait whose wait was too long, until they are served. */
  const late = createRecent<number>(idleOwnersMax)
  const counts: PoolCounts = { full: 0, displaced: 0, timeout: 0 }
  let taken = 0
  let waiting = 0
  let turns = 0
  /** Where the work that began furthest began, as virtual time. */
  let begun = 0

  /** Those that wait and have less than their share, by whose turn it is. */
  const inLine = createIndexedHeap<Owner>(reserve === undefined ? hasReceivedLess : hasFewer)
  /** To be called when an owner's works or what it has received have changed. */
  const reorder = (owner: Owner): void => {
    if (waitingOf(owner) > 0 && owner.taken < bounds.placesOfOwner) inLine.update(owner)
    else inLine.delete(owner)
  }
  /**
   * Where an owner begins that has nothing. What began while places were free may be far ahead of those that wait
   * by now: no owner begins behind the one that is next.
   */
  const virtualTime = (): number => Math.min(begun, inLine.first?.received ?? begun)
  const activate = (name: string): Owner => {
    const known = active.get(name)
    if (known !== undefined) return known
    const received = Math.max(virtualTime(), idle.get(name) ?? 0)
    const owner: Owner = { name, taken: 0, queue: null, received, turn: 0, at: -1 }
    idle.delete(name)
    active.set(name, owner)
    return owner
  }
  const deactivate = (owner: Owner): void => {
    if (owner.taken > 0 || waitingOf(owner) > 0 || !active.delete(owner.name)) return
    if (owner.received <= virtualTime()) return
    idle.set(owner.name, owner.received)
  }
  const hold = (owner: Owner, cost: number): Place => {
    gate.onBegin(cost)
    begun = Math.max(begun, owner.received)
    owner.received += cost
    owner.taken++
    owner.turn = ++turns
    late.delete(owner.name)
    taken++
    reorder(owner)
    let held = true
    return {
      release: (actual = cost) => {
        if (!held) return
        held = false
        owner.received += actual - cost
        owner.taken--
        taken--
        reorder(owner)
        serve()
        deactivate(owner)
      },
    }
  }
  /** Whether a place is free that an owner with so many works under way may have. */
  const hasPlaceFor = (takenOfOwner: number): boolean => {
    if (taken >= bounds.places || takenOfOwner >= bounds.placesOfOwner) return false
    if (reserve === undefined || takenOfOwner < reserve.ofOwner) return true
    return taken < bounds.places - reserve.places
  }
  /** Who is served next; null where all who wait have their share. */
  const next = (): Owner | null => {
    const { first } = inLine
    return first !== undefined && hasPlaceFor(first.taken) ? first : null
  }
  let serving = false
  const serve = (): void => {
    // a work that ends as soon as it is served does not begin this anew
    if (serving) return
    serving = true
    try {
      while (taken < bounds.places) {
        const waiter = next()?.queue?.first
        if (waiter === undefined || !gate.mayBegin(waiter.cost)) return
        leave(waiter)
        waiter.settle(hold(waiter.owner, waiter.cost))
      }
    } finally {
      serving = false
    }
  }
  const leave = (waiter: Waiter): void => {
    const { owner } = waiter
    if (owner.queue?.delete(waiter) !== true) return
    waiting--
    reorder(owner)
  }
  /** Makes room in a full queue: the owner with the most waiting gives up its newest work to one with fewer. */
  const displace = (waitingOfOwner: number): boolean => {
    const newest = withMostWaiting(active.values(), waitingOfOwner + 1)?.queue?.last
    if (newest === undefined) return false
    counts.displaced++
    leave(newest)
    newest.settle('full')
    return true
  }
  const hasRoom = (name: string): boolean => {
    const own = waitingOf(active.get(name))
    if (own >= bounds.waitingOfOwner) return false
    return waiting < bounds.waiting || displace(own)
  }
  const takeNow = (name: string, cost = 1): Place | null => {
    if (!hasPlaceFor(active.get(name)?.taken ?? 0)) return null
    // where a place is free and somebody waits, those have their share and this owner may not
    return next() === null && gate.mayBegin(cost) ? hold(activate(name), cost) : null
  }
  const enqueue: FairPool['enqueue'] = (name, settle, cost = 1) => {
    if (!hasRoom(name)) {
      counts.full++
      return null
    }
    const owner = activate(name)
    const waiter: Waiter = { owner, cost, settle }
    owner.queue ??= createLine()
    if (owner.queue.size === 0) owner.turn = late.get(name) ?? ++turns
    owner.queue.push(waiter)
    waiting++
    reorder(owner)
    return () => {
      leave(waiter)
      deactivate(owner)
    }
  }
  const onTimeout = (name: string): void => {
    counts.timeout++
    const owner = active.get(name)
    if (owner?.taken === 0) late.set(name, owner.turn)
  }
  return {
    take: async (name, options = {}) => {
      if (options.signal?.aborted === true) return 'stopped'
      const place = takeNow(name, options.cost)
      if (place !== null) return place
      return waitInLine(
        (settle) => enqueue(name, settle, options.cost),
        options,
        () => onTimeout(name),
      )
    },
    takeNow,
    enqueue,
    resume: serve,
    get taken() {
      return taken
    },
    get waiting() {
      return waiting
    },
    takenOf: (name) => active.get(name)?.taken ?? 0,
    counts,
    largest: (count) => largestOf(active.values(), count),
  }
}

const largestOf = (owners: Iterable<Owner>, count: number): OwnerShare[] =>
  [...owners]
    .map(({ name, taken, queue }) => ({ owner: name, taken, waiting: queue?.size ?? 0 }))
    .toSorted((a, b) => b.taken + b.waiting - (a.taken + a.waiting))
    .slice(0, count)

/** null where none has more than that. */
const withMostWaiting = (owners: Iterable<Owner>, least: number): Owner | null => {
  let most: Owner | null = null
  for (const owner of owners) {
    if (waitingOf(owner) > Math.max(least, waitingOf(most))) most = owner
  }
  return most
}

const waitingOf = (owner: Owner | null | undefined): number => owner?.queue?.size ?? 0

const hasReceivedLess = (one: Owner, other: Owner): boolean =>
  one.received === other.received ? one.turn < other.turn : one.received < other.received

const hasFewer = (one: Owner, other: Owner): boolean =>
  one.taken === other.taken ? hasReceivedLess(one, other) : one.taken < other.taken
