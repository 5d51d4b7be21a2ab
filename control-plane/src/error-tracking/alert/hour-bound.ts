import type { ErrorRuleEvent } from '@probe-mesh/contracts/error-tracking/error-rule'

/** Something that a rule may tell of. `issueId` is null of a spike of a whole project. */
export type ErrorNews = {
  kind: ErrorRuleEvent
  projectId: string
  issueId: string | null
}

/** Messages by themselves that one rule causes in an hour; what is beyond them is told as one. */
export const toldPerHourMax = 10
/** What is told as one names so many; of the rest it says how many. */
export const namedMax = 10
const hourMs = 3_600_000

/** How much a rule told since when, and what waits for the end of that hour. Stored as JSON; Unix ms. */
export type HourBound = {
  hourAtMs: number | null
  told: number
  waiting: { counts: Partial<Record<ErrorRuleEvent, number>>; first: ErrorNews[] } | null
}

export const newBound: HourBound = { hourAtMs: null, told: 0, waiting: null }

/**
 * Something is to be told: by itself, or counted among what waits. Where anything waits, so does what
 * follows, until it was told: nobody reads the later before the earlier. Pure.
 */
export const admit = (
  bound: HourBound,
  news: ErrorNews,
  nowMs: number,
): { bound: HourBound; alone: boolean } => {
  const { waiting } = bound
  if (waiting === null) {
    const isNew = bound.hourAtMs === null || nowMs >= bound.hourAtMs + hourMs
    const hour = isNew ? { hourAtMs: nowMs, told: 0 } : bound
    if (hour.told < toldPerHourMax) {
      return { bound: { ...hour, told: hour.told + 1, waiting: null }, alone: true }
    }
  }
  const { counts, first } = waiting ?? { counts: {}, first: [] }
  const added = {
    counts: { ...counts, [news.kind]: (counts[news.kind] ?? 0) + 1 },
    first: first.length < namedMax ? [...first, news] : first,
  }
  return { bound: { ...bound, waiting: added }, alone: false }
}

/** When what waits is to be told; null: nothing waits. */
export const tellAtMs = ({ hourAtMs, waiting }: HourBound): number | null =>
  waiting === null || hourAtMs === null ? null : hourAtMs + hourMs

export const waitingCount = ({ waiting }: HourBound): number =>
  Object.values(waiting?.counts ?? {}).reduce((sum, count) => sum + count, 0)

/** What waited is told, as one message: the first of a new hour. Pure. */
export const released = (nowMs: number): HourBound => ({
  hourAtMs: nowMs,
  told: 1,
  waiting: null,
})
