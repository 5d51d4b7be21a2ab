/**
 * The messages of one partition that the stream holds and ingest has not stored yet, oldest
 * first. Batches rise, and each pass over the spool begins where it was released to, so a mark
 * covers everything up to one sequence. A mark of a later pass says nothing of an earlier one,
 * which the stream may have lost.
 */
export type Sent = {
  add(batch: number, throughSequence: number, at: number): void
  /** The sequence up to which the spool may be released after this mark; null when none is. */
  mark(batch: number): number | null
  /** When the oldest of them was sent; null when there is none. */
  oldestAt(): number | null
  /** Joins all into one, as sent now: another pass begins. */
  join(at: number): void
  readonly size: number
}

type Entry = { batch: number; through: number; at: number }

export const createSent = (): Sent => {
  const entries: Entry[] = []
  return {
    add: (batch, through, at) => entries.push({ batch, through, at }),
    mark: (batch) => {
      const after = entries.findIndex((entry) => entry.batch > batch)
      const covered = entries.splice(0, after === -1 ? entries.length : after)
      return covered.at(-1)?.through ?? null
    },
    oldestAt: () => entries[0]?.at ?? null,
    join: (at) => {
      const last = entries.at(-1)
      if (last === undefined) return
      entries.splice(0, entries.length, { ...last, at })
    },
    get size() {
      return entries.length
    },
  }
}
