import { sharesOfAddress, sharesOfProject, type EventShares } from '../events/event-shares.ts'

/** Tracked projects, and tracked addresses within projects. The least recently used ones are dropped. */
const entriesMax = 50_000
const minuteMs = 60_000
const dayMs = 86_400_000

type EventSource = {
  projectId: string
  /** The client's network, by `widestNetworkOf`. */
  network: string
  /** The account's monthly quota of events. */
  quota: number
}

export type EventWindows = {
  /** Milliseconds until one more event is allowed; 0 means now. */
  waitMs(source: EventSource): number
  /** Like `waitMs`. With 0 it counts one event. */
  spend(source: EventSource): number
}

type Window = { minute: number; inMinute: number; day: number; inDay: number }

/**
 * Limits the events of each project, and of each of its addresses, in a minute and a day of the clock to a
 * share of the monthly quota. Each process counts for itself, from 0 after a restart (S-3007).
 * @param scale multiplies all shares; above 1 in tests
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
    const [oldest] = windows.keys()
    if (windows.size > entriesMax && oldest !== undefined) windows.delete(oldest)
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
    spend: (source) => {
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
