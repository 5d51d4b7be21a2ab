/** Which states of the assessor's memory are not in Postgres as they are now, by check id. */
export type Unwritten = ReturnType<typeof createUnwritten>

/**
 * A state that matters is due now. One that only got newer waits for its time or for its partition's, and the stream
 * keeps its readings until then (S-945).
 */
export const createUnwritten = () => {
  const due = new Set<string>()
  /** When each is due by itself, Unix ms. */
  const waiting = new Map<string, number>()
  /** Of those that wait: not yet told to other control planes. */
  const untold = new Set<string>()

  const add = (checkId: string): void => {
    drop(checkId)
    due.add(checkId)
  }
  const drop = (checkId: string): void => {
    due.delete(checkId)
    waiting.delete(checkId)
    untold.delete(checkId)
  }
  const addWhere = (isDue: (checkId: string, dueAtMs: number) => boolean): void => {
    for (const [checkId, dueAtMs] of waiting) if (isDue(checkId, dueAtMs)) add(checkId)
  }
  return {
    add,
    /** Its row is as it is now, or the check is gone. */
    drop,
    /** Its readings got newer. */
    addLater: (checkId: string, dueAtMs: number): void => {
      if (due.has(checkId)) return
      waiting.set(checkId, Math.min(waiting.get(checkId) ?? dueAtMs, dueAtMs))
      untold.add(checkId)
    },
    /** Something outside the stream decided how its readings count: judged again, they could count otherwise. */
    addIfWaiting: (checkId: string): void => {
      if (waiting.has(checkId)) add(checkId)
    },
    addWhere,
    due: (): Iterable<string> => due,
    dueCount: () => due.size,
    /** Those that wait and got newer since they were last taken, `max` at a time; all that wait if `isAll`. */
    takeUntold: (isAll: boolean, max: number): string[] => {
      if (isAll) for (const checkId of waiting.keys()) untold.add(checkId)
      const taken: string[] = []
      for (const checkId of untold) {
        if (taken.length >= max) break
        untold.delete(checkId)
        taken.push(checkId)
      }
      return taken
    },
  }
}
