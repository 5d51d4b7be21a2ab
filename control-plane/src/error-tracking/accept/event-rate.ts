/** Projects whose last second is remembered. */
const projectsMax = 50_000

export type EventRate = {
  /** Whether no more may come in this second. */
  isFull(projectId: string): boolean
  /** Whether one more may come, which it then has. */
  take(projectId: string): boolean
}

/**
 * At most `perSecond` events of one project in each second of the clock: a client that reports in a
 * loop must not take the stream from others.
 */
export const createEventRate = ({
  now,
  perSecond,
}: {
  now: () => number
  perSecond: number
}): EventRate => {
  let second = 0
  let events = new Map<string, number>()
  const countOf = (projectId: string): number => {
    const current = Math.floor(now() / 1_000)
    if (current !== second || events.size >= projectsMax) {
      second = current
      events = new Map()
    }
    return events.get(projectId) ?? 0
  }
  return {
    isFull: (projectId) => countOf(projectId) >= perSecond,
    take: (projectId) => {
      const count = countOf(projectId)
      if (count >= perSecond) return false
      events.set(projectId, count + 1)
      return true
    },
  }
}
