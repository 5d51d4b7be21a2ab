import type {
  Check,
  CheckDetail,
  CheckStatus,
  StoredReading,
} from '@probe-mesh/contracts/check/check'
import type { Flip } from '@probe-mesh/contracts/mesh/events'

/** `connecting` until the stream stood once. */
export type Link = 'connecting' | 'connected' | 'reconnecting'

/** What a live view knows. */
export type Watched = {
  readonly checks: readonly Check[]
  /** Of a view of one name, which shows regions. */
  readonly details: readonly CheckDetail[] | null
  readonly newest: ReadonlyMap<string, StoredReading>
  readonly link: Link
  /** When something was last heard or read, Unix milliseconds. */
  readonly heardAtMs: number
}

/** A status that is another than when it was last read; nobody told when it changed. */
export type Change = { name: string; from: CheckStatus; to: CheckStatus }

export const afterFlip = (watched: Watched, { checkId, to }: Flip): Watched => ({
  ...watched,
  checks: watched.checks.map((check) => (check.id === checkId ? { ...check, status: to } : check)),
})

/** Readings come from several regions, and need not come in their order. */
export const afterReading = (
  watched: Watched,
  checkId: string,
  reading: StoredReading,
): Watched => {
  const known = watched.newest.get(checkId)
  if (known !== undefined && known.measuredAt > reading.measuredAt) return watched
  return { ...watched, newest: new Map(watched.newest).set(checkId, reading) }
}

/** @param told ids of checks whose change is told by a flip of their own */
export const changesBetween = (
  before: readonly Check[],
  after: readonly Check[],
  told: ReadonlySet<string>,
): Change[] => {
  const was = new Map(before.map(({ id, status }) => [id, status]))
  return after.flatMap(({ id, name, status }) => {
    const from = was.get(id)
    return from === undefined || from === status || told.has(id) ? [] : [{ name, from, to: status }]
  })
}
