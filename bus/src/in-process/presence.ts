import { presence as pace } from '@probe-mesh/contracts/subjects'
import type { AgentPresence, Presence } from '../port.ts'

type Announced = { presence: AgentPresence; seenAt: number }

/** Who is there, by region and agent; what has not been renewed for the TTL is forgotten. */
export const createPresence = (now: () => number): Presence & { close(): void } => {
  const announced = new Map<string, Announced>()
  const timers = new Set<NodeJS.Timeout>()

  const forgetStale = () => {
    for (const [key, { seenAt }] of announced) {
      if (now() - seenAt >= pace.ttlMs) announced.delete(key)
    }
  }

  return {
    announce: async (presence) => {
      const key = `${presence.region}.${presence.agent}`
      const copy = { ...presence }
      const renew = () => announced.set(key, { presence: copy, seenAt: now() })
      renew()
      const timer = setInterval(renew, pace.announceMs).unref()
      timers.add(timer)
      return {
        close: async () => {
          clearInterval(timer)
          timers.delete(timer)
          if (announced.get(key)?.presence === copy) announced.delete(key)
        },
      }
    },
    list: async (region) => {
      forgetStale()
      return [...announced.values()]
        .filter(({ presence }) => presence.region === region)
        .map(({ presence }) => ({ ...presence }))
    },
    close: () => {
      for (const timer of timers) clearInterval(timer)
      timers.clear()
      announced.clear()
    },
  }
}
