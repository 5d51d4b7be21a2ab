import type { CheckDetail, CheckStatus, StoredReading } from '@probe-mesh/contracts/check/check'
import type { Flip } from '@probe-mesh/contracts/mesh/events'
import type { StatusRow } from '../../show/sort-rows.ts'

/** `connecting` until the stream was open once. */
type Link = 'connecting' | 'connected' | 'reconnecting'

/** The state of a live view. */
export type Watched = {
  readonly checks: readonly StatusRow[]
  /** Only when watching one name, which shows regions. */
  readonly details: readonly CheckDetail[] | null
  readonly newest: ReadonlyMap<string, StoredReading>
  readonly link: Link
  /** Time of the last event or read, Unix milliseconds. */
  readonly updatedAtMs: number
}

/** A status that differs from the last read; the time of the change is unknown. */
export type Change = { name: string; from: CheckStatus; to: CheckStatus }

export const afterFlip = (watched: Watched, { checkId, to, reason, at }: Flip): Watched => ({
  ...watched,
  checks: watched.checks.map((check) =>
    check.id === checkId ? { ...check, status: to, statusReason: reason, statusSince: at } : check,
  ),
})

/** Readings of several regions may arrive out of order. */
export const afterReading = (watched: Watched, checkId: string, reading: StoredReading): Watched => {
  const known = watched.newest.get(checkId)
  if (known !== undefined && known.measuredAt > reading.measuredAt) return watched
  return { ...watched, newest: new Map(watched.newest).set(checkId, reading) }
}

/** @param queuedIds checks whose change a queued flip reports */
export const changesBetween = (
  before: readonly StatusRow[],
  after: readonly StatusRow[],
  queuedIds: ReadonlySet<string>,
): Change[] => {
  const was = new Map(before.map(({ id, status }) => [id, status]))
  return after.flatMap(({ id, name, status }) => {
    const from = was.get(id)
    return from === undefined || from === status || queuedIds.has(id) ? [] : [{ name, from, to: status }]
  })
}
