const dayMs = 86_400_000
/** A session that is not used for this long ends. */
const idleMsMax = 30 * dayMs
/** And any session ends this long after its login, however often it is used. */
const ageMsMax = 180 * dayMs
/** How old the note of a session's last use may be: a page of the dashboard writes nothing. */
export const seenMsMax = 3_600_000

/** When a session that was used at `seenMs` ends (S-2202). Pure. */
export const sessionEndMs = (createdMs: number, seenMs: number): number =>
  Math.min(seenMs + idleMsMax, createdMs + ageMsMax)
