import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, Place } from '@probe-mesh/runtime/fair-pool'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** What overload tells requests apart by. */
export type Asking = 'keyless' | Tier

/** Who asks: an account's id, or the network of an address without a key. */
export type Asker = {
  asking: Asking
  owner: string
  /** A run by hand lasts as long as its probe: at the floor other requests do not wait for it. */
  isRun?: boolean
}

/** Requests that wait for something, of everybody: 12 connections to Postgres serve no more well. */
const requestsUnderWayMaxDefault = requestPools.requests.bounds.places

/** Of all places, how many may be taken when one of these still gets one. */
const shares: Readonly<Record<Asking, number>> = { keyless: 0.5, free: 0.5, growth: 0.75, scale: 1 }

/** Within this time most of what is under way has been answered. */
const retryAfterSeconds = 2

/**
 * A bound on the work that is under way. Beyond it a request is refused at once instead of waiting with the
 * others, those who pay least first, and so is one of an account that has its share. An account with almost
 * nothing under way has places of its own kind instead: it waits for the next of them, round robin over such
 * accounts. What is answered from memory takes no place.
 */
export type Admission = {
  /** @returns the work's answer, or SV-9002 where there is no place for who asks */
  admit<T>(asker: Asker, work: () => Promise<T>): Promise<T | Refusal> | Refusal
  readonly underWay: number
}

export const createAdmission = ({
  registry,
  max = requestsUnderWayMaxDefault,
  floorPlaces,
  waitMsMax = requestPools.requestFloors.waitMsMax,
}: {
  registry: Registry
  max?: number | undefined
  /** Stands for the places of accounts at their floor in tests. */
  floorPlaces?: number | undefined
  waitMsMax?: number
}): Admission => {
  const { requests, requestFloors, runFloors, keylessFloors } = requestPools
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
  const metrics = createPoolMetrics(registry)
  metrics.watch('requests', shared)
  metrics.watch('requestFloors', floors)
  metrics.watch('runFloors', runs)
  metrics.watch('keylessFloors', keyless)
  const underWay = (): number => shared.taken + floors.taken + runs.taken + keyless.taken
  const gauge: Gauge = new Gauge({
    name: 'http_requests_under_way',
    help: 'Requests that wait for a store or an agent',
    registers: [registry],
    collect: () => gauge.set(underWay()),
  })
  const refused = new Counter({
    name: 'http_requests_overloaded_total',
    help: 'Requests refused because too many were under way, by tier; keyless ones have none',
    labelNames: ['tier'] as const,
    registers: [registry],
  })
  for (const tier of Object.keys(shares)) refused.inc({ tier }, 0)

  const overloaded = ({ asking }: Asker): Refusal => {
    refused.inc({ tier: asking })
    return refuse('SV-9002', {
      message: 'This server has too much to do at the moment. Try again shortly.',
      retryAfterSeconds,
    })
  }
  // a work's own end counts: who waited for its answer may have gone
  const run = <T>(place: Place, work: () => Promise<T>): Promise<T> =>
    work().finally(() => place.release())
  /** Costs the time it takes: an account whose works are slow waits for those that took little. */
  const runAtFloor = <T>(place: Place, work: () => Promise<T>): Promise<T> => {
    const beganMs = performance.now()
    return work().finally(() => place.release(Math.max(1, performance.now() - beganMs)))
  }
  const isAtFloor = ({ owner }: Asker): boolean =>
    shared.takenOf(owner) + floors.takenOf(owner) + runs.takenOf(owner) <
    requestFloors.bounds.placesOfOwner

  const waitAtFloor = async <T>(
    pool: FairPool,
    asker: Asker,
    work: () => Promise<T>,
  ): Promise<T | Refusal> => {
    const place = await pool.take(asker.owner, { waitMsMax })
    return typeof place === 'string' ? overloaded(asker) : runAtFloor(place, work)
  }
  const admitAtFloor = <T>(
    asker: Asker,
    work: () => Promise<T>,
  ): Promise<T | Refusal> | Refusal => {
    const { asking, owner, isRun = false } = asker
    const ofAccounts = isRun ? runs : floors
    const pool = asking === 'keyless' ? keyless : ofAccounts
    const place = pool.takeNow(owner)
    if (place !== null) return runAtFloor(place, work)
    // a keyless work has begun before it is admitted: it cannot wait
    return asking === 'keyless' ? overloaded(asker) : waitAtFloor(pool, asker, work)
  }

  return {
    admit: (asker, work) => {
      const { asking, owner } = asker
      const place = shared.taken < max * shares[asking] ? shared.takeNow(owner) : null
      if (place !== null) return run(place, work)
      return asking === 'keyless' || isAtFloor(asker)
        ? admitAtFloor(asker, work)
        : overloaded(asker)
    },
    get underWay() {
      return underWay()
    },
  }
}
