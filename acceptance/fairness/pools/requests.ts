import { requestPools, userRequestsPerMinute } from '@probe-mesh/contracts/api/request-pools'
import { createAdmission, type RequestClass } from '@probe-mesh/control-plane/src/http/admission'
import { createSessionRates } from '@probe-mesh/control-plane/src/login/session-rates'
import { createPingQueue, type PingAnswer } from '@probe-mesh/control-plane/src/heartbeats/ping-queue'
import { Registry } from 'prom-client'
import { expect } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'
import { byTurns, settleLoop, stopTime, turnsCase, type Opened } from './turns.ts'

const { pings, requests, requestFloors, runFloors, keylessFloors, requestTurns } = requestPools
const refused = expect.objectContaining({ refused: 'SV-9002' })

/** @param full the number of running requests of paying accounts, each with its share of all places */
const openAdmission = ({
  requestClass = 'scale' as RequestClass,
  isRun = false,
  full = 0,
  isBusy = false,
} = {}): Opened => {
  const admission = createAdmission({ registry: new Registry(), isBusy: () => isBusy })
  const filling: (() => void)[] = []
  const fill = (): Promise<void> => new Promise((resolve) => filling.push(resolve))
  const { placesOfOwner } = requests.bounds
  for (const n of numbers(full)) {
    const owner = `full ${Math.floor(n / placesOfOwner)}`
    void admission.admit({ requestClass: 'scale', owner }, fill)
  }
  expect(filling).toHaveLength(full)
  return { perform: (owner, hold) => admission.admit({ requestClass, owner, isRun }, hold) }
}

const allPlaces = requests.bounds.places
/** Rounds of the places at the floor: places above the floor do not serve these owners. */
const byFloors = (crowd: number): number => {
  const floors = requestFloors.bounds.places
  return (Math.ceil(byTurns(crowd) / floors) + 1) * (allPlaces + floors)
}

/** Pings that are recorded when the test allows it. */
const openPings = () => {
  const batches: { keys: string[]; end(): void }[] = []
  const queue = createPingQueue((batch) => {
    const keys = batch.map(({ pingKey }) => pingKey)
    const ended = Promise.withResolvers<ReadonlyMap<string, PingAnswer>>()
    batches.push({ keys, end: () => ended.resolve(new Map(keys.map((key) => [key, 'recorded']))) })
    return ended.promise
  })
  const take = (network: string) =>
    queue.take({ pingKey: network, ping: { kind: 'success' } } as never, network)
  const recordAll = async (): Promise<void> => {
    while (queue.waiting > 0 || batches.length > 0) {
      batches.shift()?.end()
      await settleLoop()
    }
  }
  return { batches, take, recordAll }
}

export const requestCases = {
  pings: {
    floor: async (crowd) => {
      const { batches, take, recordAll } = openPings()
      const { places, waiting, waitingOfOwner } = pings.bounds
      const each = Math.min(places + waitingOfOwner, Math.ceil((2 * (places + waiting)) / crowd))
      for (const _ of numbers(each)) for (const n of numbers(crowd)) void take(`crowd ${n}`)
      await settleLoop()
      const mine = take('newcomer')
      const keys = (): string[] => batches.flatMap((batch) => batch.keys)
      let recorded = 0
      // the two started batches of others, and a ping of each other network before it
      while (!keys().includes('newcomer') && recorded < 2 + Math.ceil(crowd / 500)) {
        const batch = batches.shift()
        batch?.end()
        await settleLoop()
        for (const key of batch?.keys ?? []) void take(key)
        recorded += 1
      }
      expect(keys()).toContain('newcomer')
      await recordAll()
      expect(await mine).toBe('recorded')
    },
    share: async () => {
      const { take, recordAll } = openPings()
      const { placesOfOwner, waitingOfOwner } = pings.bounds
      const accepted = numbers(placesOfOwner + waitingOfOwner).map(() => take('alone'))
      expect(await take('alone')).toBe('full')
      await recordAll()
      expect(new Set(await Promise.all(accepted))).toEqual(new Set(['recorded']))
    },
  },
  requests: turnsCase({
    pool: requests,
    open: () => openAdmission(),
    alone: { inProgress: requests.bounds.placesOfOwner, waiting: 0 },
    within: byFloors,
    refused,
  }),
  requestTurns: turnsCase({
    pool: requestTurns,
    open: () => openAdmission({ isBusy: true }),
    alone: {
      inProgress: requestTurns.bounds.placesOfOwner,
      waiting: requests.bounds.placesOfOwner - requestTurns.bounds.placesOfOwner,
    },
    // who waits for a place at the floor has no turn yet
    within: (crowd) => (crowd < allPlaces ? byTurns(crowd) : byFloors(crowd)),
    refused,
  }),
  requestFloors: turnsCase({
    pool: requestFloors,
    open: () => openAdmission({ requestClass: 'free', full: allPlaces }),
    alone: { inProgress: requestFloors.bounds.placesOfOwner, waiting: 0 },
    refused,
  }),
  runFloors: turnsCase({
    pool: runFloors,
    open: () => openAdmission({ requestClass: 'free', full: allPlaces, isRun: true }),
    // it may wait for a second one
    alone: { inProgress: runFloors.bounds.placesOfOwner, waiting: 1 },
    refused,
  }),
  keylessFloors: {
    /** Addresses have no floor. They must not use places of accounts at their floor. */
    floor: async (crowd) => {
      stopTime()
      const admission = createAdmission({ registry: new Registry() })
      const never = (): Promise<never> => new Promise(() => undefined)
      for (const _ of numbers(Math.ceil((2 * allPlaces) / crowd))) {
        for (const n of numbers(crowd)) {
          void admission.admit({ requestClass: 'keyless', owner: `192.0.2.${n}` }, never)
        }
      }
      const mine = admission.admit({ requestClass: 'free', owner: 'newcomer' }, async () => 'served')
      expect(await mine).toBe('served')
    },
    share: async () => {
      stopTime()
      const { perform } = openAdmission({ requestClass: 'keyless', full: allPlaces })
      const never = (): Promise<never> => new Promise(() => undefined)
      const first = perform('192.0.2.1', never)
      expect(await perform('192.0.2.1', never)).toEqual(refused)
      for (const n of numbers(keylessFloors.bounds.places - 1)) void perform(`192.0.2.${n + 2}`, never)
      expect(await perform('192.0.2.200', never)).toEqual(refused)
      expect(await Promise.race([first, 'under way'])).toBe('under way')
    },
  },
  userRequests: {
    floor: (crowd) => {
      const rates = createSessionRates(() => 0)
      for (const n of numbers(crowd)) {
        for (const _ of numbers(userRequestsPerMinute.writes + 1)) rates.spend(`${n}`, 'writes')
        for (const _ of numbers(userRequestsPerMinute.reads + 1)) rates.spend(`${n}`, 'reads')
      }
      for (const budget of ['reads', 'writes'] as const) {
        for (const _ of numbers(userRequestsPerMinute[budget])) {
          expect(rates.spend('newcomer', budget)).toBe(0)
        }
      }
    },
    share: () => {
      const rates = createSessionRates(() => 0)
      for (const budget of ['reads', 'writes'] as const) {
        for (const _ of numbers(userRequestsPerMinute[budget])) {
          expect(rates.spend('alone', budget)).toBe(0)
        }
        expect(rates.spend('alone', budget)).toBe(60)
      }
    },
  },
} satisfies Partial<Record<keyof typeof requestPools, FairnessCase>>
