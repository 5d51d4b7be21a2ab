import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Logger } from '../logger.ts'
import { BusUnavailable, heldOf, type Assignments } from '../port.ts'
import { decodeText, encodeText } from '../wire.ts'
import { createDelivery, joinWatchers, type Delivery } from './delivery.ts'

const assignmentsPerRegionMax = 1_000_000

/** A region's bucket: encoded assignments by check id, and the watchers. null is a removal. */
type Bucket = {
  values: Map<string, string>
  watchers: Set<Delivery<string, string | null>>
}

/** In memory: the control plane puts every assignment again at its start. */
export const createAssignments = (log: Logger): Assignments & { close(): void } => {
  const buckets = new Map<Region, Bucket>()
  const bucketOf = (region: Region): Bucket => {
    const found = buckets.get(region) ?? { values: new Map(), watchers: new Set() }
    buckets.set(region, found)
    return found
  }

  return {
    put: async (assignment) => {
      const { values, watchers } = bucketOf(assignment.region)
      if (values.size >= assignmentsPerRegionMax && !values.has(assignment.checkId)) {
        throw new BusUnavailable('the bucket of assignments is full')
      }
      const text = encodeText(assignment)
      values.set(assignment.checkId, text)
      for (const watcher of watchers) watcher.offer(assignment.checkId, text)
    },
    remove: async (region, checkId) => {
      const { values, watchers } = bucketOf(region)
      if (!values.delete(checkId)) return
      for (const watcher of watchers) watcher.offer(checkId, null)
    },
    held: async (region) =>
      [...bucketOf(region).values.values()].map((text) => heldOf(decodeText<Assignment>(text))),
    watch: async (region, handler) => {
      const { values, watchers } = bucketOf(region)
      const delivery = createDelivery<string, string | null>({
        snapshot: values,
        onSnapshotEnd: () => handler.onCurrent(),
        deliver: (checkId, text) =>
          text === null ? handler.onRemove(checkId) : handler.onPut(decodeText<Assignment>(text)),
        pendingMax: 2 * assignmentsPerRegionMax,
        log,
      })
      return joinWatchers(watchers, delivery)
    },
    close: () => {
      for (const { watchers } of buckets.values()) {
        for (const watcher of watchers) void watcher.close()
        watchers.clear()
      }
    },
  }
}
