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
  /** Gave up their place in the queue to an owner that had none. */
  displaced: number
  timeout: number
}

type Owner = {
  readonly name: string
  taken: number
  readonly queue: Set<Waiter>
  /** What it has received, as virtual time: the owner with the least is served next. */
  received: number
}
type Waiter = { owner: Owner; cost: number; settle(result: Place | NoPlace): void }

/** Idle owners that are remembered for what they have received. */
const idleOwnersMax = 10_000

/**
 * A bounded pool of works that many owners share fairly (start-time fair queuing). A free place goes to the
 * waiting owner that has received least, so that of `n` waiting owners each is served within `n` works, whatever
 * the others ask for; idling earns no credit. An owner that waits for nothing finds room in a full queue: the
 * owner with the most waiting gives up its newest work. It is refused only where every place in the queue
 * belongs to another owner.
 */
export const createFairPool = (bounds: PoolBounds): FairPool => {
  /** Owners with works under way or waiting. */
  const active = new Map<string, Owner>()
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
    const owner: Owner = { name, taken: 0, queue: new Set(), received }
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
  /** Who is served next; null where all who wait have their share. */
  const next = (): Owner | null => {
    let least: Owner | null = null
    if (waiting === 0) return least
    for (const owner of active.values()) {
      if (owner.queue.size === 0 || owner.taken >= bounds.placesOfOwner) continue
      if (least === null || owner.received < least.received) least = owner
    }
    return least
  }
  const serve = (): void => {
    while (taken < bounds.places) {
      const [waiter] = next()?.queue ?? []
      if (waiter === undefined) return
      leave(waiter)
      waiter.settle(hold(waiter.owner, waiter.cost))
    }
  }
  const leave = (waiter: Waiter): void => {
    if (waiter.owner.queue.delete(waiter)) waiting--
  }
  /** Makes room in a full queue: the owner with the most waiting gives up its newest work. */
  const displace = (): boolean => {
    let most: Owner | null = null
    for (const owner of active.values()) {
      if (owner.queue.size > Math.max(1, most?.queue.size ?? 0)) most = owner
    }
    const newest = [...(most?.queue ?? [])].at(-1)
    if (newest === undefined) return false
    counts.displaced++
    leave(newest)
    newest.settle('full')
    return true
  }
  const hasRoom = (name: string): boolean => {
    const own = active.get(name)?.queue.size ?? 0
    if (own >= bounds.waitingOfOwner) return false
    return waiting < bounds.waiting || (own === 0 && displace())
  }
  const takeNow = (name: string, cost = 1): Place | null => {
    if (taken >= bounds.places || (active.get(name)?.taken ?? 0) >= bounds.placesOfOwner)
      return null
    // where a place is free and somebody waits, those have their share and this owner may not
    return next() === null ? hold(activate(name), cost) : null
  }
  const wait = (
    name: string,
    cost: number,
    signal: AbortSignal | undefined,
    waitMsMax: number | undefined,
  ): Promise<Place | NoPlace> =>
    new Promise((resolve) => {
      const owner = activate(name)
      const drop = (why: NoPlace): void => {
        leave(waiter)
        deactivate(owner)
        waiter.settle(why)
      }
      const stop = (): void => drop('stopped')
      const expire = (): void => {
        counts.timeout++
        drop('timeout')
      }
      const timer = waitMsMax === undefined ? undefined : setTimeout(expire, waitMsMax)
      const waiter: Waiter = {
        owner,
        cost,
        settle: (result) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', stop)
          resolve(result)
        },
      }
      signal?.addEventListener('abort', stop, { once: true })
      owner.queue.add(waiter)
      waiting++
    })

  return {
    take: async (name, { signal, waitMsMax, cost = 1 } = {}) => {
      if (signal?.aborted === true) return 'stopped'
      const place = takeNow(name, cost)
      if (place !== null) return place
      if (hasRoom(name)) return wait(name, cost, signal, waitMsMax)
      counts.full++
      return 'full'
    },
    takeNow,
    get taken() {
      return taken
    },
    get waiting() {
      return waiting
    },
    takenOf: (name) => active.get(name)?.taken ?? 0,
    counts,
    largest: (count) =>
      [...active.values()]
        .map(({ name, taken, queue }) => ({ owner: name, taken, waiting: queue.size }))
        .toSorted((a, b) => b.taken + b.waiting - (a.taken + a.waiting))
        .slice(0, count),
  }
}
