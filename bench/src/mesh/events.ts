import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Bus } from '@probe-mesh/bus/port'
import { watchingMs } from '@probe-mesh/contracts/mesh/events'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'

/** Events that the control planes published, with the times at which they arrived. */
export type Announced = {
  /** Scheduled readings. Their event is published after their batch is stored. Unix ms. */
  readings: { measuredAt: number; announcedAt: number; partition: number }[]
  /** When the first flip of each check arrived, Unix ms. */
  flips: Map<string, number>
  /** Forgets every event. */
  clear(): void
}

type FollowedEvents = { announced: Announced; close(): Promise<void> }

/** Subscribes to the live events of an account, and keeps announcing that it watches them. */
export const followEvents = async (bus: Bus, accountId: string): Promise<FollowedEvents> => {
  const watch = (): void => bus.events.publish('watching', { accountIds: [accountId] })
  const watching = setInterval(watch, watchingMs)
  const announced: Announced = {
    readings: [],
    flips: new Map(),
    clear: () => {
      announced.readings = []
      announced.flips.clear()
    },
  }
  await bus.events.subscribe('reading', (payload) => {
    const event = eventOf(payload)
    if (event.kind !== 'reading' || event.reading.kind !== 'scheduled') return
    const measuredAt = Date.parse(event.reading.measuredAt)
    announced.readings.push({
      measuredAt,
      announcedAt: Date.now(),
      partition: partitionOf(event.checkId),
    })
  })
  await bus.events.subscribe('flip', (payload) => {
    const event = eventOf(payload)
    if (event.kind !== 'flip' || announced.flips.has(event.flip.checkId)) return
    announced.flips.set(event.flip.checkId, Date.now())
  })
  watch()
  return { announced, close: async () => clearInterval(watching) }
}

/** Both sides are files of one commit, and no other program has credentials, so that the type is right. */
const eventOf = (payload: unknown): AccountEvent => payload as AccountEvent
