/**
 * The messages of one partition that are in the stream and not yet stored, oldest first. Batch
 * numbers rise, and each pass over the spool starts at its released end, so a mark covers
 * everything up to one sequence. A mark of a later pass does not cover an earlier pass, which the
 * stream may have lost.
 */
export type Sent = {
  add(batch: number, throughSequence: number, at: number): void
  /** The sequence up to which this mark releases the spool; null: nothing. */
  mark(batch: number): number | null
  /** When the oldest message was sent; null: none. */
  oldestAt(): number | null
  /** Merges all messages into one, sent now: another pass starts. */
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
