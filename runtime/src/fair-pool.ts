import { createLine } from './line.ts'
import type { Line } from './line.ts'

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
export type NoPlace = 'full' | 'timeout' | 'stopped'

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
  readonly queue: Line<Waiter>
  /** What it has received, as virtual time: the owner with the least is served next. */
  received: number
}
type Waiter = { owner: Owner; cost: number; settle(result: Place | NoPlace): void }

/** Lets everything begin. */
const openGate: PoolGate = { mayBegin: () => true, onBegin: () => undefined }

/** Idle owners that are remembered for what they have received. */
const idleOwnersMax = 10_000

/**
 * A bounded pool of works that many owners share fairly (start-time fair queuing). A free place goes to the
 * waiting owner that has received least, so that of `n` waiting owners each is served within `n` works, whatever
 * the others ask for; idling earns no credit. In a full queue the owner with the most waiting gives up its newest
 * work to an owner with fewer, so that one is refused only where no other has more waiting.
 */
export const createFairPool = (bounds: PoolBounds, gate: PoolGate = openGate): FairPool => {
  const { reserve } = bounds
  /** Owners with works under way or waiting. */
  const active = new Map<string, Owner>()
  /** Of them, those that wait, the one served longest ago first. */
  const inLine = new Set<Owner>()
  /** What idle owners had received. */
  const idle = new Map<string, number>()
  const counts: PoolCounts = { full: 0, displaced: 0, timeout: 0 }
  let taken = 0
  let waiting = 0
  /** Where the work that began last began, as virtual time: no owner begins below it. */
  let begun = 0

  const activate = (name: string): Owner => {
    const known = active.get(name)
    if (known !== undefined) return known
    const received = Math.max(begun, idle.get(name) ?? 0)
    const owner: Owner = { name, taken: 0, queue: createLine(), received }
    idle.delete(name)
    active.set(name, owner)
    return owner
  }
  const deactivate = (owner: Owner): void => {
    if (owner.taken > 0 || owner.queue.size > 0 || !active.delete(owner.name)) return
    if (owner.received <= begun) return
    idle.set(owner.name, owner.received)
    const [longest] = idle.keys()
    if (idle.size > idleOwnersMax && longest !== undefined) idle.delete(longest)
  }
  const hold = (owner: Owner, cost: number): Place => {
    gate.onBegin(cost)
    begun = Math.max(begun, owner.received)
    owner.received += cost
    owner.taken++
    taken++
    let held = true
    return {
      release: (actual = cost) => {
        if (!held) return
        held = false
        owner.received += actual - cost
        owner.taken--
        taken--
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
  const isBefore = (one: Owner, other: Owner): boolean =>
    reserve === undefined || one.taken === other.taken
      ? one.received < other.received
      : one.taken < other.taken
  /** Who is served next; null where all who wait have their share. */
  const next = (): Owner | null => {
    let first: Owner | null = null
    for (const owner of inLine) {
      if (!hasPlaceFor(owner.taken)) continue
      if (first === null || isBefore(owner, first)) first = owner
    }
    return first
  }
  let serving = false
  const serve = (): void => {
    // a work that ends as soon as it is served does not begin this anew
    if (serving) return
    serving = true
    try {
      while (taken < bounds.places) {
        const waiter = next()?.queue.first
        if (waiter === undefined || !gate.mayBegin(waiter.cost)) return
        leave(waiter)
        toEndOfLine(waiter.owner)
        waiter.settle(hold(waiter.owner, waiter.cost))
      }
    } finally {
      serving = false
    }
  }
  /** Of owners that have received the same, the one that was served longest ago is next. */
  const toEndOfLine = (owner: Owner): void => {
    if (inLine.delete(owner)) inLine.add(owner)
  }
  const leave = (waiter: Waiter): void => {
    const { owner } = waiter
    if (!owner.queue.delete(waiter)) return
    waiting--
    if (owner.queue.size === 0) inLine.delete(owner)
  }
  /** Makes room in a full queue: the owner with the most waiting gives up its newest work to one with fewer. */
  const displace = (waitingOfOwner: number): boolean => {
    let most: Owner | null = null
    for (const owner of inLine) {
      if (owner.queue.size > Math.max(waitingOfOwner + 1, most?.queue.size ?? 0)) most = owner
    }
    const newest = lastOf(most)
    if (newest === undefined) return false
    counts.displaced++
    leave(newest)
    newest.settle('full')
    return true
  }
  const hasRoom = (name: string): boolean => {
    const own = active.get(name)?.queue.size ?? 0
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
    owner.queue.push(waiter)
    inLine.add(owner)
    waiting++
    return () => {
      leave(waiter)
      deactivate(owner)
    }
  }
  const onTimeout = (): void => {
    counts.timeout++
  }
  return {
    take: async (name, options = {}) => {
      if (options.signal?.aborted === true) return 'stopped'
      const place = takeNow(name, options.cost)
      if (place !== null) return place
      return wait((settle) => enqueue(name, settle, options.cost), options, onTimeout)
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

/** A wait in a queue that ends in time, or when it is not wanted any more. */
const wait = (
  enter: (settle: (result: Place | NoPlace) => void) => (() => void) | null,
  { signal, waitMsMax }: { signal?: AbortSignal; waitMsMax?: number },
  onTimeout: () => void,
): Promise<Place | NoPlace> =>
  new Promise((resolve) => {
    const settle = (result: Place | NoPlace): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(result)
    }
    const leave = enter(settle)
    const drop = (why: NoPlace): void => {
      leave?.()
      settle(why)
    }
    const stop = (): void => drop('stopped')
    const expire = (): void => {
      onTimeout()
      drop('timeout')
    }
    const isTimed = waitMsMax !== undefined && leave !== null
    const timer = isTimed ? setTimeout(expire, waitMsMax) : undefined
    if (leave === null) return resolve('full')
    signal?.addEventListener('abort', stop, { once: true })
  })

const largestOf = (owners: Iterable<Owner>, count: number): OwnerShare[] =>
  [...owners]
    .map(({ name, taken, queue }) => ({ owner: name, taken, waiting: queue.size }))
    .toSorted((a, b) => b.taken + b.waiting - (a.taken + a.waiting))
    .slice(0, count)

const lastOf = (owner: Owner | null): Waiter | undefined => owner?.queue.last
