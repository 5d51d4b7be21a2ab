import { sharesOfAddress, sharesOfProject } from '../events/event-shares.ts'
import type { EventShares } from '../events/event-shares.ts'

/** Projects, and addresses within projects, that are remembered: those that sent last. */
const namesMax = 50_000
const minuteMs = 60_000
const dayMs = 86_400_000

export type EventSource = {
  projectId: string
  /** Of the client, by `widestNetworkOf`. */
  network: string
  /** Events a month of the account. */
  quota: number
}

export type EventWindows = {
  /** Milliseconds until one more event may come; 0 where it may now. */
  waitMs(source: EventSource): number
  /** As `waitMs`, and where it may it has come. */
  take(source: EventSource): number
}

type Window = { minute: number; inMinute: number; day: number; inDay: number }

/**
 * What each project took in this minute and this day of the clock, and each address of it, held to its share
 * of the month's quota. In this process; one that begins anew begins with nothing (S-3007).
 * @param scale of all shares; above 1 in tests
 */
export const createEventWindows = ({ now, scale }: { now: () => number; scale: number }): EventWindows => {
  const projects = new Map<string, Window>()
  const addresses = new Map<string, Window>()

  const windowOf = (windows: Map<string, Window>, name: string): Window => {
    const [minute, day] = [Math.floor(now() / minuteMs), Math.floor(now() / dayMs)]
    const window = windows.get(name) ?? { minute, inMinute: 0, day, inDay: 0 }
    if (window.minute !== minute) Object.assign(window, { minute, inMinute: 0 })
    if (window.day !== day) Object.assign(window, { day, inDay: 0 })
    windows.delete(name)
    windows.set(name, window)
    const [eldest] = windows.keys()
    if (windows.size > namesMax && eldest !== undefined) windows.delete(eldest)
    return window
  }
  const windowsOf = ({ projectId, network, quota }: EventSource): [Window, EventShares][] => {
    const shares = sharesOfProject(quota)
    return [
      [windowOf(projects, projectId), shares],
      [windowOf(addresses, `${projectId} ${network}`), sharesOfAddress(shares)],
    ]
  }
  const waitOf = ([{ inMinute, inDay }, { minute, day }]: [Window, EventShares]): number => {
    if (inDay >= day * scale) return dayMs - (now() % dayMs)
    return inMinute >= minute * scale ? minuteMs - (now() % minuteMs) : 0
  }
  return {
    waitMs: (source) => Math.max(...windowsOf(source).map(waitOf)),
    take: (source) => {
      const windows = windowsOf(source)
      const waitMs = Math.max(...windows.map(waitOf))
      if (waitMs > 0) return waitMs
      for (const [window] of windows) {
        window.inMinute += 1
        window.inDay += 1
      }
      return 0
    },
  }
}
