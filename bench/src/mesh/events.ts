import { partitionOf } from '@probe-mesh/contracts/mesh/partition'
import type { Bus } from '@probe-mesh/bus/port'
import { watchingMs } from '@probe-mesh/contracts/mesh/events'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'

/** What the control planes told, each with when it came here. */
export type Told = {
  /** Scheduled readings: told after their batch is stored. Unix ms. */
  readings: { measuredAt: number; toldAt: number; partition: number }[]
  /** When the first flip of each check was told, Unix ms. */
  flips: Map<string, number>
  /** Forgets all of it. */
  clear(): void
}

export type FollowedEvents = { told: Told; close(): Promise<void> }

/** Listens to the events that live streams of this account are made of, and says that it does. */
export const followEvents = async (bus: Bus, accountId: string): Promise<FollowedEvents> => {
  const watch = (): void => bus.events.publish('watching', { accountIds: [accountId] })
  const watching = setInterval(watch, watchingMs)
  const told: Told = {
    readings: [],
    flips: new Map(),
    clear: () => {
      told.readings = []
      told.flips.clear()
    },
  }
  await bus.events.subscribe('reading', (payload) => {
    const event = eventOf(payload)
    if (event.kind !== 'reading' || event.reading.kind !== 'scheduled') return
    const measuredAt = Date.parse(event.reading.measuredAt)
    told.readings.push({ measuredAt, toldAt: Date.now(), partition: partitionOf(event.checkId) })
  })
  await bus.events.subscribe('flip', (payload) => {
    const event = eventOf(payload)
    if (event.kind !== 'flip' || told.flips.has(event.flip.checkId)) return
    told.flips.set(event.flip.checkId, Date.now())
  })
  watch()
  return { told, close: async () => clearInterval(watching) }
}

/** Both sides are files of one commit, and nobody else has credentials: it is what is published. */
const eventOf = (payload: unknown): AccountEvent => payload as AccountEvent
