/** Projects whose last second is remembered. */
const projectsMax = 50_000

/**
 * At most `perSecond` events of one project in each second of the clock: a client that reports in a
 * loop must not take the stream from others.
 * @returns whether one more may come, which it then has
 */
export const createEventRate = ({
  now,
  perSecond,
}: {
  now: () => number
  perSecond: number
}): ((projectId: string) => boolean) => {
  let second = 0
  let events = new Map<string, number>()
  return (projectId) => {
    const current = Math.floor(now() / 1_000)
    if (current !== second || events.size >= projectsMax) {
      second = current
      events = new Map()
    }
    const count = events.get(projectId) ?? 0
    if (count >= perSecond) return false
    events.set(projectId, count + 1)
    return true
  }
}
