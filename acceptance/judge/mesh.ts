import { createRandom } from './world/random.ts'
import {
  agentsOf,
  isOwn,
  meet,
  servicesCount,
  worldRegions,
  type Meeting,
  type World,
} from './world/world.ts'

/** The result of one run of an agent. Times are ms since the start of the world. */
export type Sighting = {
  service: number
  region: string
  /** The slot, or the time of the confirmation request, by the clock that decided it. */
  slot: number
  isRequested: boolean
  /** The outcome of the last attempt; null if the agent could not measure. */
  met: Meeting | null
  /** Our own network failed, and not the service. */
  isOwn: boolean
  attempts: number
  /** When the last attempt began, by the agent's clock. */
  measuredAt: number
  latencyMs: number
}

/** Regions that must confirm a service at once. */
type ConfirmationRequest = { service: number; regions: readonly string[] }

/** The parts that the mesh drives. */
export type Driven = {
  /** The next slot of a service in a region, at or after an instant. */
  nextSlot(service: number, region: string, fromMs: number): number
  consume(sighting: Sighting): ConfirmationRequest | null
  /** Called every second. */
  tick(): void
}

type Event = { atMs: number; order: number; act: () => void }

const attemptMs = 10_000
const tickMs = 1_000
/** Delays: batching, stream and network of a reading, and of a request to an agent. */
const deliveryMs = [150, 500] as const
const requestMs = [20, 120] as const

/** Events in the order of their times, and of their creation at the same time. */
const createEvents = () => {
  const heap: Event[] = []
  let order = 0
  const before = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  const at = (index: number): Event => {
    const event = heap[index]
    if (event === undefined) throw new Error('no event')
    return event
  }
  const swap = (a: number, b: number): void => {
    const held = at(a)
    heap[a] = at(b)
    heap[b] = held
  }
  return {
    add: (atMs: number, act: () => void): void => {
      heap.push({ atMs, order: order++, act })
      let index = heap.length - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (!before(at(index), at(parent))) break
        swap(index, parent)
        index = parent
      }
    },
    next: (): Event | undefined => {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined || heap.length === 0) return first
      heap[0] = last
      let index = 0
      for (;;) {
        let least = index
        for (const child of [2 * index + 1, 2 * index + 2]) {
          if (child < heap.length && before(at(child), at(least))) least = child
        }
        if (least === index) return first
        swap(index, least)
        index = least
      }
    },
  }
}

/**
 * Runs a mesh in a world until its end. A failing agent retries once at once. Its reading arrives a moment
 * later, or even later if its region is late.
 * @param drive created from the clock
 * @param observe called after each arrival and once a second
 */
export const runMesh = (
  world: World,
  drive: (now: () => number) => Driven,
  observe: (nowMs: number, seen: Sighting | null) => void,
): void => {
  const random = createRandom(world.seed ^ 0x5eed)
  const events = createEvents()
  let nowMs = 0
  const driven = drive(() => nowMs)

  const durationOf = (met: Meeting): number => (met === 'timeout' ? attemptMs : random.between(20, 400))

  const arrive = (sighting: Sighting): void => {
    const ask = driven.consume(sighting)
    observe(nowMs, sighting)
    for (const region of ask?.regions ?? []) {
      const requestedAt = nowMs
      const service = sighting.service
      events.add(nowMs + random.between(...requestMs), () => run(service, region, requestedAt, true))
    }
  }

  const run = (service: number, region: string, slot: number, isRequested: boolean): void => {
    const agents = agentsOf(world, region, nowMs)
    if (agents.dead) return
    let beganAt = nowMs
    let met = meet(world, service, region, beganAt, random.next())
    let tookMs = durationOf(met)
    let attempts = 1
    if (met !== 'good' && met !== 'refusal') {
      beganAt += tookMs
      met = meet(world, service, region, beganAt, random.next())
      tookMs = durationOf(met)
      attempts = 2
    }
    // a frozen agent must not blame a target for its delay
    const isBlind = agents.stalled && met === 'timeout'
    const sighting: Sighting = {
      service,
      region,
      slot: isRequested ? slot : slot + agents.skewMs,
      isRequested,
      met: isBlind ? null : met,
      isOwn: isOwn(world, service, region, beganAt),
      attempts,
      measuredAt: Math.round(beganAt + agents.skewMs),
      latencyMs: Math.round(tookMs),
    }
    const lateMs = agents.lateMs * random.between(0.8, 1)
    const arrivesAt = beganAt + tookMs + random.between(...deliveryMs) + lateMs
    events.add(arrivesAt, () => arrive(sighting))
  }

  const schedule = (service: number, region: string, fromMs: number): void => {
    const slot = driven.nextSlot(service, region, fromMs)
    // slots follow the agent's clock
    const { skewMs } = agentsOf(world, region, slot)
    events.add(Math.max(nowMs, slot - skewMs), () => {
      schedule(service, region, slot + 1)
      run(service, region, slot - skewMs, false)
    })
  }
  for (let service = 0; service < servicesCount; service++) {
    for (const region of worldRegions) schedule(service, region, 0)
  }
  const tick = (): void => {
    driven.tick()
    observe(nowMs, null)
    events.add(nowMs + tickMs, tick)
  }
  events.add(tickMs, tick)

  for (let event = events.next(); event !== undefined; event = events.next()) {
    if (event.atMs > world.endsMs) return
    nowMs = event.atMs
    event.act()
  }
}
