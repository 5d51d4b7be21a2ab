import type { ErrorRuleEvent } from '../contracts/error-rule.ts'

/** An event that a rule may notify about. `issueId` is null for a spike of a whole project. */
export type ErrorNotice = {
  kind: ErrorRuleEvent
  projectId: string
  issueId: string | null
}

/** Single messages of one rule in an hour. Further notices are sent as one digest. */
export const singlesPerHourMax = 10
/** Notices that a digest names by title; it counts the rest. */
export const namedMax = 10
const hourMs = 3_600_000

/**
 * The start of a rule's hour, the messages sent since (`told`), and the notices that wait for the digest.
 * Stored as JSON; Unix ms.
 */
export type HourBound = {
  hourAtMs: number | null
  told: number
  waiting: { counts: Partial<Record<ErrorRuleEvent, number>>; first: ErrorNotice[] } | null
}

export const newBound: HourBound = { hourAtMs: null, told: 0, waiting: null }

/**
 * Adds a notice: as a single message, or to the digest. While a digest waits, all later notices join it, so
 * that they are not read before earlier ones.
 */
export const addNotice = (
  bound: HourBound,
  notice: ErrorNotice,
  nowMs: number,
): { bound: HourBound; isSingle: boolean } => {
  const { waiting } = bound
  if (waiting === null) {
    const isNew = bound.hourAtMs === null || nowMs >= bound.hourAtMs + hourMs
    const hour = isNew ? { hourAtMs: nowMs, told: 0 } : bound
    if (hour.told < singlesPerHourMax) {
      return { bound: { ...hour, told: hour.told + 1, waiting: null }, isSingle: true }
    }
  }
  const { counts, first } = waiting ?? { counts: {}, first: [] }
  const added = {
    counts: { ...counts, [notice.kind]: (counts[notice.kind] ?? 0) + 1 },
    first: first.length < namedMax ? [...first, notice] : first,
  }
  return { bound: { ...bound, waiting: added }, isSingle: false }
}

/** When the digest is due; null: no notice waits. */
export const digestAtMs = ({ hourAtMs, waiting }: HourBound): number | null =>
  waiting === null || hourAtMs === null ? null : hourAtMs + hourMs

export const waitingCount = ({ waiting }: HourBound): number =>
  Object.values(waiting?.counts ?? {}).reduce((sum, count) => sum + count, 0)

/** The limit after a digest, which is the first message of a new hour. */
export const afterDigest = (nowMs: number): HourBound => ({
  hourAtMs: nowMs,
  told: 1,
  waiting: null,
})
