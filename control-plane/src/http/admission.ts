import { createMetrics } from '@probe-mesh/runtime/metrics'
import { requestPools, requestTurnMsMax } from '@probe-mesh/contracts/api/request-pools'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { createFairPool, type FairPool, type Place } from '@probe-mesh/runtime/fair-pool'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Registry } from 'prom-client'

/** The class of a request, which decides its share under overload. */
export type RequestClass = 'keyless' | Tier

/** The sender of a request. `owner` is an account's id, or the network of an address without a key. */
export type Requester = {
  requestClass: RequestClass
  owner: string
  /** A manual run lasts as long as its probe. At the floor other requests do not wait for it. */
  isRun?: boolean
}

/** The most concurrent requests of all clients: 12 connections to Postgres serve no more. */
const requestsUnderWayMaxDefault = requestPools.requests.bounds.places

/** The share of all places up to which a class of requests is admitted. */
const shares: Readonly<Record<RequestClass, number>> = {
  keyless: 0.5,
  free: 0.5,
  growth: 0.75,
  scale: 1,
}

/** Most running requests are answered within this time. */
const retryAfterSeconds = 2

/**
 * Limits concurrent requests. Beyond the limit a request is refused at once, cheaper plans first. So is a request
 * of an account that uses its share. An account with almost no running requests has reserved places and waits for
 * the next one, round robin with other such accounts. Answers from the cache need no place.
 */
export type Admission = {
  /** @returns the result of the work, or SV-9002 without a free place */
  admit<T>(requester: Requester, work: () => Promise<T>): Promise<T | Refusal> | Refusal
  readonly underWay: number
}

export const createAdmission = ({
  registry,
  max = requestsUnderWayMaxDefault,
  floorPlaces,
  waitMsMax = requestPools.requestFloors.waitMsMax,
  isBusy = () => false,
}: {
  registry: Registry
  max?: number | undefined
  /** Replaces the number of places for accounts at their floor in tests. */
  floorPlaces?: number | undefined
  waitMsMax?: number
  /** Whether requests of accounts start in turns now. */
  isBusy?: (() => boolean) | undefined
}): Admission => {
  const { requests, requestFloors, runFloors, keylessFloors, requestTurns } = requestPools
  const shareOfAccount = requests.bounds.placesOfOwner / requests.bounds.places
  const shared = createFairPool({
    ...requests.bounds,
    places: max,
    placesOfOwner: Math.ceil(max * shareOfAccount),
  })
  const floors = createFairPool({
    ...requestFloors.bounds,
    places: floorPlaces ?? requestFloors.bounds.places,
  })
  const runs = createFairPool(runFloors.bounds)
  const keyless = createFairPool(keylessFloors.bounds)
  const turns = createFairPool(requestTurns.bounds)
  const metrics = createPoolMetrics(registry)
  metrics.watch('requestTurns', turns)
  metrics.watch('requests', shared)
  metrics.watch('requestFloors', floors)
  metrics.watch('runFloors', runs)
  metrics.watch('keylessFloors', keyless)
  const underWay = (): number => shared.taken + floors.taken + runs.taken + keyless.taken
  const refused = admissionMetrics(registry, underWay)

  const overloaded = ({ requestClass }: Requester): Refusal => {
    refused.inc({ tier: requestClass })
    return refuse('SV-9002', {
      message: `The server is overloaded. Retry in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    })
  }
  /**
   * On a busy loop few requests run at once, so that each step of one waits for few steps of others. A turn is
   * short: work that waits for an agent or a thread goes on without it.
   */
  const inTurn = async <T>(requester: Requester, work: () => Promise<T>): Promise<T | Refusal> => {
    const { requestClass, owner } = requester
    // a keyless request has started before it is admitted
    if (requestClass === 'keyless' || (turns.waiting === 0 && !isBusy())) return work()
    const turn = await turns.take(owner, { waitMsMax })
    if (typeof turn === 'string') return overloaded(requester)
    const beganMs = performance.now()
    const end = (): void => {
      clearTimeout(ending)
      turn.release(Math.max(1, performance.now() - beganMs))
    }
    const ending = setTimeout(end, requestTurnMsMax)
    return work().finally(end)
  }
  // the place is held until the work ends, even if the client has left
  const run = <T>(place: Place, requester: Requester, work: () => Promise<T>): Promise<T | Refusal> =>
    inTurn(requester, work).finally(() => place.release())
  /** Costs the time that it takes, so that an account with slow requests waits for accounts with fast ones. */
  const runAtFloor = <T>(
    place: Place,
    requester: Requester,
    work: () => Promise<T>,
  ): Promise<T | Refusal> => {
    const beganMs = performance.now()
    return inTurn(requester, work).finally(() => place.release(Math.max(1, performance.now() - beganMs)))
  }
  const isAtFloor = ({ owner }: Requester): boolean =>
    shared.takenOf(owner) + floors.takenOf(owner) + runs.takenOf(owner) < requestFloors.bounds.placesOfOwner

  const waitAtFloor = async <T>(
    pool: FairPool,
    requester: Requester,
    work: () => Promise<T>,
  ): Promise<T | Refusal> => {
    const place = await pool.take(requester.owner, { waitMsMax })
    return typeof place === 'string' ? overloaded(requester) : runAtFloor(place, requester, work)
  }
  const admitAtFloor = <T>(requester: Requester, work: () => Promise<T>): Promise<T | Refusal> | Refusal => {
    const { requestClass, owner, isRun = false } = requester
    const ofAccounts = isRun ? runs : floors
    const pool = requestClass === 'keyless' ? keyless : ofAccounts
    const place = pool.takeNow(owner)
    if (place !== null) return runAtFloor(place, requester, work)
    // a keyless request has started before it is admitted, and cannot wait
    return requestClass === 'keyless' ? overloaded(requester) : waitAtFloor(pool, requester, work)
  }

  return {
    admit: (requester, work) => {
      const { requestClass, owner } = requester
      const place = shared.taken < max * shares[requestClass] ? shared.takeNow(owner) : null
      if (place !== null) return run(place, requester, work)
      return requestClass === 'keyless' || isAtFloor(requester)
        ? admitAtFloor(requester, work)
        : overloaded(requester)
    },
    get underWay() {
      return underWay()
    },
  }
}

/** @returns the counter of refused requests */
const admissionMetrics = (registry: Registry, underWay: () => number) => {
  const metric = createMetrics(registry)
  metric.readGauge(
    'http_requests_under_way',
    'Requests in progress that wait for a database, NATS or an agent',
    underWay,
  )
  const refused = metric.counter(
    'http_requests_overloaded_total',
    'Requests refused because too many were in progress, by tier; requests without a key have the tier keyless',
    'tier',
  )
  for (const tier of Object.keys(shares)) refused.inc({ tier }, 0)
  return refused
}
