import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Logger } from '../logger.ts'
import type { Persisted } from '../port.ts'
import { createDelivery, joinWatchers, type Delivery } from './delivery.ts'

/** An agent's marks by partition, and their watchers. */
type AgentMarks = { marks: Map<number, number>; watchers: Set<Delivery<number, number>> }

/** How many agents are kept; the one that was quiet longest is dropped first. */
const agentsMax = 10_000

/**
 * In memory: agents of this process end with it, and a restarted agent publishes its spool under new batch
 * numbers, so an old mark would be of no use.
 */
export const createPersisted = (log: Logger): Persisted & { close(): void } => {
  const agents = new Map<string, AgentMarks>()
  const marksOf = (key: string): AgentMarks => {
    const found = agents.get(key) ?? { marks: new Map(), watchers: new Set() }
    agents.delete(key)
    agents.set(key, found)
    return found
  }
  const forgetQuiet = () => {
    for (const [key, { watchers }] of agents) {
      if (agents.size <= agentsMax) return
      if (watchers.size === 0) agents.delete(key)
    }
  }

  return {
    mark: async (region, agent, partition, batch) => {
      const { marks, watchers } = marksOf(`${region}.${agent}`)
      marks.set(partition, batch)
      for (const watcher of watchers) watcher.offer(partition, batch)
      forgetQuiet()
    },
    get: async (region, agent, partition) => agents.get(`${region}.${agent}`)?.marks.get(partition) ?? null,
    watch: async (region, agent, onMark) => {
      const { marks, watchers } = marksOf(`${region}.${agent}`)
      const delivery = createDelivery<number, number>({
        snapshot: marks,
        onSnapshotEnd: () => undefined,
        deliver: onMark,
        pendingMax: limits.partitions,
        log,
      })
      return joinWatchers(watchers, delivery)
    },
    close: () => {
      for (const { watchers } of agents.values()) {
        for (const watcher of watchers) void watcher.close()
        watchers.clear()
      }
    },
  }
}
