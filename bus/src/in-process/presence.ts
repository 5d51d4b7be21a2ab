import { presence as presencePace, type PresencePace } from '@probe-mesh/contracts/mesh/subjects'
import type { AgentPresence, Presence } from '../port.ts'
import { withReport } from '../with-report.ts'

type Announced = {
  presence: AgentPresence
  seenAt: number
  revision: number
  /** Another agent took over its name. */
  end(): void
}

/**
 * The agents that are online, by region and name; announcements that are not renewed within the TTL expire.
 */
export const createPresence = (
  now: () => number,
  pace: PresencePace = presencePace,
): Presence & { close(): void } => {
  const announced = new Map<string, Announced>()
  const timers = new Set<NodeJS.Timeout>()
  let revisions = 0

  const forgetStale = () => {
    for (const [key, { seenAt }] of announced) {
      if (now() - seenAt >= pace.ttlMs) announced.delete(key)
    }
  }

  return {
    announce: async (presence, onSuperseded, report) => {
      const key = `${presence.region}.${presence.agent}`
      const timer = setInterval(() => renew(), pace.announceMs).unref()
      timers.add(timer)
      const stop = () => {
        clearInterval(timer)
        timers.delete(timer)
      }
      const mine: Announced = {
        presence: { ...presence },
        seenAt: now(),
        revision: 0,
        end: () => {
          stop()
          if (onSuperseded !== undefined) setImmediate(onSuperseded)
        },
      }
      const renew = () => {
        mine.presence = withReport(presence, report)
        mine.seenAt = now()
        mine.revision = ++revisions
        announced.set(key, mine)
      }
      announced.get(key)?.end()
      renew()
      return {
        close: async () => {
          stop()
          if (announced.get(key) === mine) announced.delete(key)
        },
      }
    },
    list: async (region) => {
      forgetStale()
      return [...announced.values()]
        .filter(({ presence }) => presence.region === region)
        .map(({ presence, revision }) => ({ ...presence, revision }))
    },
    close: () => {
      for (const timer of timers) clearInterval(timer)
      timers.clear()
      announced.clear()
    },
  }
}
