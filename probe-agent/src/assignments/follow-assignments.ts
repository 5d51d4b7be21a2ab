import type { Assignments, Bus, Subscription } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { keepSubscribed } from '../publish/keep-subscribed.ts'

/**
 * Watches a region's assignments, and starts a new watch after each reconnect. A bus that lost its
 * data then shows an empty bucket instead of removing each assignment.
 */
export const followAssignments = (capabilities: {
  bus: Pick<Bus, 'assignments' | 'onReturn'>
  region: Region
  newWatch: () => Parameters<Assignments['watch']>[1]
  subscribing: Parameters<typeof keepSubscribed>[1]
}): Subscription => {
  const { bus, region, newWatch, subscribing } = capabilities
  const begin = () => keepSubscribed(() => bus.assignments.watch(region, newWatch()), subscribing)
  let watching = begin()
  const returns = bus.onReturn(() => {
    const former = watching
    watching = begin()
    former.close().catch((error: unknown) => {
      subscribing.log.warn({ err: error }, 'the previous assignment watch did not close')
    })
  })
  return {
    close: async () => {
      await returns.close()
      await watching.close()
    },
  }
}
