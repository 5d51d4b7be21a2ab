/** What came back is stored again after this time while a failure lasts, ms. */
const againMs = 3_600_000
const checksMax = 20_000

/**
 * Remembers which failures were shown in full: that is stored when a check begins to fail for another cause, and once
 * an hour, since it is several times the size of the rest of a reading.
 */
export const createFailureNotes = (now: () => number) => {
  const shown = new Map<string, { cause: string; atMs: number }>()
  return {
    ended: (checkId: string): void => void shown.delete(checkId),
    isNew: (checkId: string, cause: string): boolean => {
      const before = shown.get(checkId)
      const nowMs = now()
      if (before?.cause === cause && Math.abs(nowMs - before.atMs) < againMs) return false
      shown.delete(checkId)
      shown.set(checkId, { cause, atMs: nowMs })
      for (const oldest of shown.keys()) {
        if (shown.size <= checksMax) break
        shown.delete(oldest)
      }
      return true
    },
  }
}

export type FailureNotes = ReturnType<typeof createFailureNotes>
